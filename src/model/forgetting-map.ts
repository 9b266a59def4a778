/** A map that forgets everything when it is full: for what is cheaper to remember than to make, and cheap enough to make again. */
export class ForgettingMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #max: number;

  /** `max`: number of entries. */
  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#max) this.#entries.clear();
    this.#entries.set(key, value);
  }
}
