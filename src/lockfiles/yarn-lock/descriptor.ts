/** `name@range`, split at the `@` after the name. */
export interface Descriptor {
  readonly name: string;
  /** Empty when there is none. */
  readonly range: string;
}

export function parseDescriptor(text: string): Descriptor {
  const at = text.indexOf('@', 1);
  return at < 0 ? { name: text, range: '' } : { name: text.slice(0, at), range: text.slice(at + 1) };
}

/** The real name where a range is an alias: `npm:other@^1`; with a version alone, the name stays. */
export function aliasedName(range: string): string | undefined {
  if (!range.startsWith('npm:')) return undefined;
  const at = range.indexOf('@', 5);
  return at < 0 ? undefined : range.slice(4, at);
}

/** Entries by the descriptors that lead to them: by name, then by range, so that no key has to be put together. */
export class DescriptorIndex<T> {
  readonly #byName = new Map<string, { readonly range: string; readonly value: T }[]>();

  add({ name, range }: Descriptor, value: T): void {
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, [{ range, value }]);
    else known.push({ range, value });
  }

  /** The entry for a range of a name; the only one of that name where a `resolutions` override hides the range. */
  find(name: string, range: string): T | undefined {
    const known = this.#byName.get(name);
    if (known === undefined) return undefined;
    for (const one of known) if (one.range === range) return one.value;
    for (const one of known)
      if (one.range.length === range.length + 4 && one.range === `npm:${range}`) return one.value;
    const [first, ...rest] = known;
    return rest.every((one) => one.value === first?.value) ? first?.value : undefined;
  }
}
