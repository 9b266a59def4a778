import type { Problem } from '../../model/lockfile.ts';

/** More than anybody reads; a file of nothing but bad entries must not fill the memory. */
const MAX_KEPT = 10_000;

/** Problems of one file: the first ones, and how many there were besides. */
export class ProblemList {
  readonly #kept: Problem[] = [];
  #count = 0;

  add(line: number | undefined, message: string): void {
    this.#count += 1;
    if (this.#kept.length < MAX_KEPT) this.#kept.push({ line, message });
  }

  get count(): number {
    return this.#count;
  }

  all(): readonly Problem[] {
    const more = this.#count - this.#kept.length;
    if (more === 0) return this.#kept;
    return [
      ...this.#kept,
      { line: undefined, message: `${more} more entries cannot be read; they are not listed` },
    ];
  }
}
