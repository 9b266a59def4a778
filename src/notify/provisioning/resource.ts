/** The desired value of one field of an object on the platform. */
export interface Field<Actual> {
  readonly name: string;
  /** Keyed hash of the desired value, remembered once it is applied. */
  readonly hash: string;
  /** The desired value for display, without secrets. */
  readonly shown: string | null;
  /** The value on the platform for display, without secrets. */
  show(actual: Actual): string | null;
  /** Returns whether the platform holds the desired value. `applied` is the last applied hash, for secrets. */
  holds(actual: Actual, applied: string | undefined): boolean;
}

/** A desired object of the platform. */
export interface Resource<Actual = unknown> {
  readonly kind: 'webhook' | 'variable';
  /** The key under which it is remembered: `webhook/<route>` or `variable/<NAME>`. */
  readonly id: string;
  readonly name: string;
  /** All fields that a creation sets. */
  readonly fields: readonly Field<Actual>[];
  read(name: string, signal: AbortSignal): Promise<Actual>;
  create(signal: AbortSignal): Promise<void>;
  /** Sends only the named fields, and the desired name when the object exists under another one (`at`). */
  update(at: string, fields: readonly string[], signal: AbortSignal): Promise<void>;
}
