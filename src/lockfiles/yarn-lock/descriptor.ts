import type { PackageDraft } from '../packages/package-collector.ts';

/** A dependency in the words of the file. */
export interface Descriptor {
  readonly name: string;
  readonly range: string;
}

/** The real name where a range is an alias: `npm:other@^1`, `npm:@scope/other`. `undefined` for `npm:^1`, which is a range. */
export function aliasedName(range: string): string | undefined {
  if (!range.startsWith('npm:')) return undefined;
  const at = range.indexOf('@', 5);
  if (at >= 0) return range.slice(4, at);
  return range.startsWith('npm:@') && range.includes('/') ? range.slice(4) : undefined;
}

/** The package that a dependency requires, and the name under which it does, where that is another one. */
export function requiredName(
  name: string,
  range: string,
): { readonly name: string; readonly alias?: string } {
  const real = aliasedName(range);
  return real === undefined || real === name ? { name } : { name: real, alias: name };
}

interface Named {
  readonly byRange: Map<string, PackageDraft>;
  /** The only package of the name; `undefined` where there are several. */
  only: PackageDraft | undefined;
}

/** Packages by descriptor: a name and a range. The first package of a repeated descriptor counts. */
export class DescriptorIndex {
  readonly #byName = new Map<string, Named>();
  #last = '';

  add(name: string, range: string, draft: PackageDraft): void {
    const named = this.#byName.get(name) ?? { byRange: new Map(), only: draft };
    this.#byName.set(name, named);
    if (name > this.#last) this.#last = name;
    if (!named.byRange.has(range)) named.byRange.set(range, draft);
    if (named.only !== draft) named.only = undefined;
  }

  /**
   * The package of a range, with or without the protocol `npm:`, which yarn adds. The only package of the name where a
   * `resolutions` override replaces the range.
   */
  find(name: string, range: string): PackageDraft | undefined {
    const named = this.#byName.get(name);
    return named?.byRange.get(range) ?? named?.only ?? named?.byRange.get(`npm:${range}`);
  }

  /**
   * The first of the dependencies whose name comes after all names of the file, which are sorted. Others without a package may be folders
   * of a workspace.
   */
  firstCut(descriptors: readonly Descriptor[]): string | undefined {
    return descriptors.find(({ name }) => name > this.#last)?.name;
  }

  /** The packages to which dependencies lead, once all packages are added. */
  findAll(descriptors: readonly Descriptor[]): readonly PackageDraft[] {
    const found: PackageDraft[] = [];
    for (const { name, range } of descriptors) {
      const draft = this.find(name, range);
      if (draft !== undefined) found.push(draft);
    }
    return found;
  }
}
