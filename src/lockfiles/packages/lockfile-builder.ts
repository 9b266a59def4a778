import type { Problem, ProblemKind } from '../../model/lockfile/lockfile.ts';
import type { LockfileContent } from '../format.ts';
import { PackageCollector, type PackageDraft } from './package-collector.ts';

/** A file that consists of bad entries must not fill the memory. */
const MAX_PROBLEMS = 10_000;

/** Collects the packages and problems of one file while it is read. */
export class LockfileBuilder {
  readonly #collector = new PackageCollector();
  readonly #problems: Problem[] = [];
  #problemCount = 0;

  /** Adds the package of an entry. Where `draft` says why the entry cannot be read, reports that as a problem. */
  add(draft: PackageDraft | string, line: number | undefined, entry: string): PackageDraft | undefined {
    if (typeof draft !== 'string') return this.#collector.add(draft);
    this.problem(line, `${JSON.stringify(entry.slice(0, 200))} ${draft}`);
    return undefined;
  }

  /** Adds a problem. Use `unclear` only where no package can be missing because of it. */
  problem(line: number | undefined, message: string, kind: ProblemKind = 'unread'): void {
    this.#problemCount += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ kind, line, message });
  }

  /**
   * Reports a file of a newer version than `newest`: it is read as far as possible, and packages may be missing. `stated`
   * is unchecked; only a number, or a text that begins with one, counts as a version.
   */
  checkVersion(stated: unknown, newest: number): void {
    const major = typeof stated === 'string' ? Number.parseInt(stated, 10) : stated;
    if (typeof major !== 'number' || !(major > newest)) return;
    this.problem(
      undefined,
      `the file has format version ${String(stated).slice(0, 40)}, the newest supported is ${newest}: packages may be missing`,
    );
  }

  get problemCount(): number {
    return this.#problemCount;
  }

  content(): LockfileContent {
    const hidden = this.#problemCount - this.#problems.length;
    const problems: readonly Problem[] =
      hidden === 0
        ? this.#problems
        : [
            ...this.#problems,
            { kind: 'unread', line: undefined, message: `${hidden} more problems are not listed` },
          ];
    return { packages: this.#collector.packages(), problems };
  }
}
