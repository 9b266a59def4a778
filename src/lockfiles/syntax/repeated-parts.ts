import type { CodeUnits } from './code-units.ts';

/** The number of characters of a text for each slot. */
const CHARACTERS_PER_SLOT = 256;
const [LEAST_BITS, MOST_BITS] = [6, 14];

/**
 * Values of parts of one text, found by what the part contains, without a copy of it. Each slot keeps the last part of its hash
 * only: a value may be forgotten, and parts with the same hash cost no more than others.
 */
export class RepeatedParts<T> {
  readonly #units: CodeUnits;
  readonly #shift: number;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #values: (T | undefined)[];
  #first = 0;

  constructor(units: CodeUnits) {
    const bits = Math.ceil(Math.log2(units.length / CHARACTERS_PER_SLOT + 1));
    const slots = 2 ** Math.min(Math.max(bits, LEAST_BITS), MOST_BITS);
    this.#units = units;
    this.#shift = 32 - Math.log2(slots);
    this.#starts = new Int32Array(slots);
    this.#ends = new Int32Array(slots);
    this.#values = new Array<T | undefined>(slots).fill(undefined);
  }

  /** The value of an earlier part with the same content, unless it is forgotten. */
  find(start: number, end: number): T | undefined {
    const units = this.#units;
    const slot = this.#slotOf(start, end);
    let known = this.#starts[slot] ?? 0;
    if (known < this.#first || (this.#ends[slot] ?? 0) - known !== end - start) return undefined;
    for (let at = start; at < end; at += 1, known += 1) if (units[at] !== units[known]) return undefined;
    return this.#values[slot];
  }

  set(start: number, end: number, value: T): void {
    const slot = this.#slotOf(start, end);
    this.#starts[slot] = start;
    this.#ends[slot] = end;
    this.#values[slot] = value;
  }

  /** Forgets all parts before a position. */
  forgetBefore(position: number): void {
    this.#first = position;
  }

  #slotOf(start: number, end: number): number {
    const units = this.#units;
    let hash = 0;
    // Not with `Math.imul`, which is a call until V8 optimizes the function fully.
    for (let at = start; at < end; at += 1) hash = ((hash << 7) | (hash >>> 25)) ^ (units[at] ?? 0);
    return Math.imul(hash, SPREAD) >>> this.#shift;
  }
}

/** Spreads the lower bits of a hash over the upper ones, which select the slot: 2 ** 32 divided by the golden ratio. */
const SPREAD = 0x9e3779b1;
