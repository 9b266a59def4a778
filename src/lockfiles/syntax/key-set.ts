const NONE: readonly never[] = [];

/** Member names by length: finds a key in a text without a copy of each key that the text contains. */
export class KeySet<Key extends string> {
  readonly #byLength: (readonly Key[])[] = [];

  constructor(keys: readonly Key[]) {
    const longest = Math.max(...keys.map((key) => key.length));
    for (let length = 0; length <= longest; length += 1)
      this.#byLength.push(keys.filter((key) => key.length === length));
  }

  ofLength(length: number): readonly Key[] {
    return length < this.#byLength.length ? (this.#byLength[length] ?? NONE) : NONE;
  }
}
