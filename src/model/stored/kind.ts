import type { ZodType } from 'zod';
import type { LockedPackage } from '../lockfile/lockfile.ts';

/**
 * A kind of value that stays in Redis longer than the job that wrote it. A stored value carries the version of its kind in
 * its field `version`; one without that field is of version 1, which release 0.1.0 wrote.
 */
export interface StoredKind<Value> {
  readonly kind: string;
  /** Raised when an older reader would misunderstand a value. */
  readonly version: number;
  /** Loaded on first use: a scan without Redis checks no stored value. */
  schema(): Promise<ZodType<Value>>;
  /** Upgrades by the version that they read. Each returns a value of the next version; its input is not checked. */
  readonly upgrades: Readonly<Record<number, (value: unknown) => unknown>>;
  /** The shorter form in which the result of a job is stored. */
  readonly form?: StoredForm<Value>;
}

/** Converts a value, in slices that yield to other work. */
export interface StoredForm<Value> {
  /** `lockfiles`: those that are known in their compact form. */
  pack(value: Value, lockfiles?: PackedLockfiles): Promise<unknown>;
  /** A part of an unexpected type is left to the schema, and so is a value that is not packed. */
  unpack(stored: unknown, expand: ExpandLockfile): Promise<unknown>;
}

/** A lockfile in the compact form in which the fleet has it: the ids of its packages, and the rest. */
export interface PackedLockfile {
  readonly ids: Buffer;
  readonly rest: Buffer | string;
}

/** By path. */
export type PackedLockfiles = ReadonlyMap<string, PackedLockfile>;

/** The packages of a packed lockfile, without digests and sources. Throws when it is damaged. */
export type ExpandLockfile = (packed: PackedLockfile) => Promise<readonly LockedPackage[]>;

/** The value to store: with the version of its kind. */
export function withVersion<Value extends object>(
  { version }: StoredKind<Value>,
  value: Value,
): Value & { readonly version: number } {
  return { ...value, version };
}
