import { PairIndex } from '../packages/pair-index.ts';

/** The real name where a range is an alias: `npm:other@^1`. `undefined` for `npm:^1`, which is a range. */
export function aliasedName(range: string): string | undefined {
  if (!range.startsWith('npm:')) return undefined;
  const at = range.indexOf('@', 5);
  return at < 0 ? undefined : range.slice(4, at);
}

/** Values by descriptor: a name and a range. */
export class DescriptorIndex<T> {
  readonly #pairs = new PairIndex<T>();

  add(name: string, range: string, value: T): void {
    this.#pairs.add(name, range, value);
  }

  /**
   * The value of a range, with or without the protocol `npm:`, which yarn adds. The only value of the name where a
   * `resolutions` override replaces the range.
   */
  find(name: string, range: string): T | undefined {
    const pairs = this.#pairs;
    return pairs.find(name, range) ?? pairs.only(name) ?? pairs.find(name, `npm:${range}`);
  }
}
