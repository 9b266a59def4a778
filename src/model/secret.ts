import { inspect } from 'node:util';

const MASK = '(secret)';

/**
 * A secret value that shows itself to nobody by accident: text, JSON and inspection give `(secret)`. Only `reveal()`
 * gives the value; call it where the value is used and nowhere earlier.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
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
