/**
 * Finds entries by what refers to them: a name and a reference. Keys hold the two as `name@reference`, `/name@reference` or
 * `/name/reference`; they are split once, so that no key has to be put together for a look-up.
 */
export class ReferenceIndex<T> {
  readonly #byName = new Map<string, { readonly references: string[]; readonly values: T[] }>();
  readonly #byKey = new Map<string, T>();

  add(key: string, value: T): void {
    this.#byKey.set(key, value);
    const from = key.startsWith('/') ? 1 : 0;
    const end = endOfName(key, from);
    if (end < 0) return;
    const name = key.slice(from, end);
    const reference = key.slice(end + 1);
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, { references: [reference], values: [value] });
    else {
      known.references.push(reference);
      known.values.push(value);
    }
  }

  /**
   * References are versions of the package named, keys of others (aliases, places), or `link:` to the target's own folders,
   * which is no entry.
   */
  find(name: string, reference: string): T | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined) {
      const at = known.references.indexOf(reference);
      if (at >= 0) return known.values[at];
    }
    return this.#byKey.get(reference);
  }
}

/** Where the name ends: at the first `@` or `/` that does not belong to the scope. */
function endOfName(key: string, from: number): number {
  const scopeEnd = key.charAt(from) === '@' ? key.indexOf('/', from) + 1 : from;
  const at = key.indexOf('@', Math.max(scopeEnd, from + 1));
  const slash = key.indexOf('/', scopeEnd);
  if (at < 0 || slash < 0) return Math.max(at, slash);
  return Math.min(at, slash);
}
