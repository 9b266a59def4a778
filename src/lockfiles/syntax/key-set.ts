/** Member names by length and first letter: finds a key in a text without a copy of each key that the text contains. */
export class KeySet<Key extends string> {
  readonly #longest: number;
  readonly #bySlot: (readonly Key[] | undefined)[];

  constructor(keys: readonly Key[]) {
    this.#longest = Math.max(...keys.map((key) => key.length));
    const bySlot = Map.groupBy(keys, (key) => slotOf(key.length, key.charCodeAt(0)));
    const slots = slotOf(this.#longest + 1, 0);
    this.#bySlot = Array.from({ length: slots }, (_, slot) => bySlot.get(slot));
  }

  /** The keys that a name of this length and first code unit may be; `undefined`: none. */
  candidates(length: number, first: number): readonly Key[] | undefined {
    return length > this.#longest ? undefined : this.#bySlot[slotOf(length, first)];
  }
}

function slotOf(length: number, first: number): number {
  return length * 32 + (first & 31);
}
