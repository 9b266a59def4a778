import type { System } from '../../model/lockfile/ecosystem.ts';
import type { IndexedPackage, InsightsData } from './data-set.ts';
import { packageId } from './names.ts';
import type { PackageLines } from './package-lines.ts';

/** The packages of a data set by system and name, which is in canonical form. */
export class PackageIndex {
  /** The packages. Those of `#lines` are added when they are requested. */
  readonly #packages = new Map<string, IndexedPackage>();
  #lines: PackageLines | undefined;

  constructor({ packages, lines }: Pick<InsightsData, 'packages' | 'lines'>) {
    for (const one of packages) this.put(one);
    this.#lines = lines;
  }

  find(system: System, name: string): IndexedPackage | undefined {
    const known = this.#packages.get(packageId(system, name));
    if (known !== undefined) return known;
    const found = this.#lines?.find(system, name);
    if (found !== undefined) this.put(found);
    return found;
  }

  /** Adds a package, or replaces it. */
  put(one: IndexedPackage): void {
    this.#packages.set(packageId(one.system, one.name), one);
  }

  all(): Iterable<IndexedPackage> {
    for (const one of this.#lines ?? []) {
      if (!this.#packages.has(packageId(one.system, one.name))) this.put(one);
    }
    this.#lines = undefined;
    return this.#packages.values();
  }
}
