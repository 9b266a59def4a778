import { inspect } from 'node:util';

/** What is shown in place of a secret value. */
export const MASK = '(secret)';

/**
 * A secret value that is not shown by accident: text, JSON and inspection give `(secret)`. Only `reveal()`
 * gives the value; call it where the value is used and nowhere earlier. A secret that is given by a function is read when
 * it is first revealed, and once: a command that does not use it works where it is not set.
 */
export class Secret {
  readonly #read: () => string;
  #value: string | undefined;

  constructor(value: string | (() => string)) {
    this.#read = typeof value === 'string' ? () => value : value;
    this.#value = typeof value === 'string' ? value : undefined;
  }

  /** Throws what its reader throws when it cannot be read. */
  reveal(): string {
    this.#value ??= this.#read();
    return this.#value;
  }

  /** The value if this process has read it, for masks: what was never read cannot leak. */
  known(): string | undefined {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
