import type { output, ZodType } from 'zod';

/**
 * A kind of value that stays in Redis longer than the job that wrote it. A stored value carries the version of its kind in
 * its field `version`; one without that field is of version 1.
 */
export interface StoredKind<Value> {
  readonly kind: string;
  /** Raised when an older reader would misunderstand a value. */
  readonly version: number;
  /** Loaded on first use: a scan without Redis checks no stored value. */
  schema(): Promise<ZodType<Value>>;
  /** Upgrades by the version that they read. Each returns a value of the next version; its input is not checked. */
  readonly upgrades: Readonly<Record<number, (value: unknown) => unknown>>;
}

/** The value to store: with the version of its kind. */
export function withVersion<Value extends object>(
  { version }: StoredKind<Value>,
  value: Value,
): Value & { readonly version: number } {
  return { ...value, version };
}

/** The values of a schema, read-only. */
export type ValueOf<Schema extends ZodType> = Immutable<output<Schema>>;

type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;
