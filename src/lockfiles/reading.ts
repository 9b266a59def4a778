import type { LockedPackage, Problem, ProblemKind } from '../model/scan/lockfile.ts';
import { PackageCollector, type PackageDraft } from './packages/package-collector.ts';
import { ProblemList } from './packages/problem-list.ts';

/** Collects the packages and problems of a file while it is read. */
export class Reading {
  readonly #collector = new PackageCollector();
  readonly #problems = new ProblemList();

  /** Takes what an entry was read as, or why it could not be; gives the package in the first case. */
  take(read: PackageDraft | string, line: number | undefined, entry: string): PackageDraft | undefined {
    if (typeof read !== 'string') return this.#collector.add(read);
    this.problem(line, `"${entry.slice(0, 200)}" ${read}`);
    return undefined;
  }

  /** As `ProblemList.add`. */
  problem(line: number | undefined, message: string, kind?: ProblemKind): void {
    this.#problems.add(line, message, kind);
  }

  result(): { readonly packages: readonly LockedPackage[]; readonly problems: readonly Problem[] } {
    return { packages: this.#collector.packages(), problems: this.#problems.all() };
  }
}
