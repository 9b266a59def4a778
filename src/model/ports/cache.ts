/** A shared cache of JSON values with a time to live. Losing the cache costs time, not data. */
export interface Cache {
  /** Values in the order of `keys`; `undefined` for a key without a value. */
  getMany(kind: string, keys: readonly string[]): Promise<readonly unknown[]>;
  /** Stores the values under their keys for `ttlMs`. */
  setMany(
    kind: string,
    entries: readonly (readonly [key: string, value: unknown])[],
    ttlMs: number,
  ): Promise<void>;
}

/** The answer of a service: the record, or that the service has none. */
export type Answer<Value> = { readonly record: Value } | { readonly missing: true };

/**
 * A record as the answers of a service state it, or that the service has none. `doubted`: the last answer, when it no longer states
 * what an earlier one stated, and nothing shows whether the service lost data. The record then has what was stated before.
 */
export type Known<Value> =
  | { readonly record: Value; readonly doubted?: Answer<Value> }
  | { readonly missing: true };
