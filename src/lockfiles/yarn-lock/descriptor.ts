import { PairIndex } from '../packages/pair-index.ts';

/** The real name where a range is an alias: `npm:other@^1`; with a version alone, the name stays. */
export function aliasedName(range: string): string | undefined {
  if (!range.startsWith('npm:')) return undefined;
  const at = range.indexOf('@', 5);
  return at < 0 ? undefined : range.slice(4, at);
}

/** Entries by the descriptors that lead to them: by name, then by range. */
export class DescriptorIndex<T> {
  readonly #pairs = new PairIndex<T>();

  add(name: string, range: string, value: T): void {
    this.#pairs.add(name, range, value);
  }

  /**
   * The entry for a range of a name, or for what yarn makes of a range that names no protocol; the only one of that name
   * where a `resolutions` override hides the range.
   */
  find(name: string, range: string): T | undefined {
    const pairs = this.#pairs;
    return pairs.find(name, range) ?? pairs.only(name) ?? pairs.find(name, `npm:${range}`);
  }
}
