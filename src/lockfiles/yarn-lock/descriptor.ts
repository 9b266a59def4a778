/** The real name where a range is an alias: `npm:other@^1`; with a version alone, the name stays. */
export function aliasedName(range: string): string | undefined {
  if (!range.startsWith('npm:')) return undefined;
  const at = range.indexOf('@', 5);
  return at < 0 ? undefined : range.slice(4, at);
}

/** Entries by the descriptors that lead to them: by name, then by range, so that no key has to be put together. */
export class DescriptorIndex<T> {
  /** Ranges and what they lead to, by turns. */
  readonly #byName = new Map<string, { readonly ranges: string[]; readonly values: T[] }>();

  add(name: string, range: string, value: T): void {
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, { ranges: [range], values: [value] });
    else {
      known.ranges.push(range);
      known.values.push(value);
    }
  }

  /** The entry for a range of a name; the only one of that name where a `resolutions` override hides the range. */
  find(name: string, range: string): T | undefined {
    const known = this.#byName.get(name);
    if (known === undefined) return undefined;
    const { ranges, values } = known;
    let at = ranges.indexOf(range);
    if (at < 0) at = ranges.findIndex((one) => one.length === range.length + 4 && one === `npm:${range}`);
    if (at >= 0) return values[at];
    return values.every((one) => one === values[0]) ? values[0] : undefined;
  }
}
