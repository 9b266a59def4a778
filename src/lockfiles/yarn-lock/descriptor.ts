import type { PackageDraft } from '../packages/package-collector.ts';
import { PairIndex } from '../packages/pair-index.ts';

/** A dependency in the words of the file. A reader can use one object for equal ones. */
export interface Descriptor {
  readonly name: string;
  readonly range: string;
  /** The package to which it leads, once it is known; `null` when it leads to none. */
  draft: PackageDraft | null | undefined;
}

export function newDescriptor(name: string, range: string): Descriptor {
  return { name, range, draft: undefined };
}

/** The real name where a range is an alias: `npm:other@^1`, `npm:@scope/other`. `undefined` for `npm:^1`, which is a range. */
export function aliasedName(range: string): string | undefined {
  if (!range.startsWith('npm:')) return undefined;
  const at = range.indexOf('@', 5);
  if (at >= 0) return range.slice(4, at);
  return range.startsWith('npm:@') && range.includes('/') ? range.slice(4) : undefined;
}

/** Packages by descriptor: a name and a range. */
export class DescriptorIndex {
  readonly #pairs = new PairIndex<PackageDraft>();

  add(name: string, range: string, draft: PackageDraft): void {
    this.#pairs.add(name, range, draft);
  }

  /**
   * The package of a range, with or without the protocol `npm:`, which yarn adds. The only package of the name where a
   * `resolutions` override replaces the range.
   */
  find(name: string, range: string): PackageDraft | undefined {
    const pairs = this.#pairs;
    return pairs.find(name, range) ?? pairs.only(name) ?? pairs.find(name, `npm:${range}`);
  }

  /** The packages to which dependencies lead, once all packages are added. */
  findAll(descriptors: readonly Descriptor[]): readonly PackageDraft[] {
    if (descriptors.length === 0) return NONE;
    // A list that grows takes the memory of 17 elements at least.
    const found = new Array<PackageDraft>(descriptors.length);
    let count = 0;
    for (const one of descriptors) {
      if (one.draft === undefined) one.draft = this.find(one.name, one.range) ?? null;
      if (one.draft !== null) found[count++] = one.draft;
    }
    found.length = count;
    return found;
  }
}

const NONE: readonly never[] = [];
