import type { CodeUnits } from './code-units.ts';

/** Member names by length and first letter: finds a key in a text without a copy of each key that the text contains. */
export class KeySet<Key extends string> {
  readonly #longest: number;
  readonly #bySlot: (readonly Spelled<Key>[] | undefined)[];

  /** `keys` are ASCII. */
  constructor(keys: readonly Key[]) {
    this.#longest = Math.max(...keys.map((key) => key.length));
    const spelled = keys.map((key) => ({ key, units: Buffer.from(key) }));
    const bySlot = Map.groupBy(spelled, ({ units }) => slotOf(units.length, units[0] ?? 0));
    const slots = slotOf(this.#longest + 1, 0);
    this.#bySlot = Array.from({ length: slots }, (_, slot) => bySlot.get(slot));
  }

  /** The key that a part of a text is, or the empty string, which is compared as fast as a key. */
  find(text: CodeUnits, start: number, end: number): Key | '' {
    const length = end - start;
    const candidates = length > this.#longest ? undefined : this.#bySlot[slotOf(length, text[start] ?? 0)];
    if (candidates === undefined) return '';
    for (let index = 0; index < candidates.length; index += 1) {
      const { key, units } = candidates[index] as Spelled<Key>;
      let at = 0;
      while (at < length && units[at] === text[start + at]) at += 1;
      if (at === length) return key;
    }
    return '';
  }
}

interface Spelled<Key> {
  readonly key: Key;
  readonly units: Uint8Array;
}

function slotOf(length: number, first: number): number {
  return length * 32 + (first & 31);
}
