/** One field of an object of the platform, as it is wanted. */
export interface Field<Actual> {
  readonly name: string;
  /** Keyed hash of the wanted value: what is remembered once it is applied. */
  readonly hash: string;
  /** The wanted value as a person may see it. */
  readonly shown: string | null;
  /** The value there is, as a person may see it. */
  show(actual: Actual): string | null;
  /** Whether the platform holds it. `applied` is the hash last applied, for what does not read back. */
  holds(actual: Actual, applied: string | undefined): boolean;
}

/** One object of the platform against what is wanted of it. */
export interface Resource<Actual = unknown> {
  readonly kind: 'webhook' | 'variable';
  /** What it is remembered under: `webhook/<route>` or `variable/<NAME>`. */
  readonly id: string;
  readonly name: string;
  /** All fields that a creation sets. */
  readonly fields: readonly Field<Actual>[];
  read(name: string, signal: AbortSignal): Promise<Actual>;
  create(signal: AbortSignal): Promise<void>;
  /** Sends only the named fields, and the wanted name when it is there under another one (`at`). */
  update(at: string, fields: readonly string[], signal: AbortSignal): Promise<void>;
}
