import type { Problem, ProblemKind } from '../../model/scan/lockfile.ts';

/** More than anybody reads; a file of nothing but bad entries must not fill the memory. */
const MAX_KEPT = 10_000;

/** Problems of one file: the first ones, and how many there were besides. */
export class ProblemList {
  readonly #kept: Problem[] = [];
  #count = 0;

  /** `kind`: whether packages may be missing from the list because of it, which is so unless the caller knows better. */
  add(line: number | undefined, message: string, kind: ProblemKind = 'unread'): void {
    this.#count += 1;
    if (this.#kept.length < MAX_KEPT) this.#kept.push({ kind, line, message });
  }

  get count(): number {
    return this.#count;
  }

  all(): readonly Problem[] {
    const more = this.#count - this.#kept.length;
    if (more === 0) return this.#kept;
    return [
      ...this.#kept,
      { kind: 'unread', line: undefined, message: `${more} more problems are not listed` },
    ];
  }
}
