/** More names than any place in an installed tree has on the way to it. */
export const MAX_DEPTH = 256;

/**
 * Places in the installed tree by their keys: `a/@b/c/d` is the package d below `@b/c` below a.
 */
export class Places<T> {
  readonly #byKey = new Map<string, T>();
  /** Keys that something lies below: nearly none. */
  readonly #parents = new Set<string>();

  /** `false` for a key that nests deeper than any package does. */
  add(key: string, value: T): boolean {
    let depth = 0;
    for (let above = parentOf(key); above !== ''; above = parentOf(above)) {
      depth += 1;
      if (depth > MAX_DEPTH) return false;
      this.#parents.add(above);
    }
    this.#byKey.set(key, value);
    return true;
  }

  entries(): Iterable<[string, T]> {
    return this.#byKey;
  }

  /** What Node would load for a name: the nearest place on the way up. */
  findUpwards(name: string, from: string): T | undefined {
    for (let above = from; above !== ''; above = parentOf(above)) {
      const found = this.#parents.has(above) ? this.#byKey.get(`${above}/${name}`) : undefined;
      if (found !== undefined) return found;
    }
    return this.#byKey.get(name);
  }
}

/** The key without its last name, which may have a scope; empty at the top. */
function parentOf(key: string): string {
  const slash = key.lastIndexOf('/');
  if (slash < 0) return '';
  const before = key.lastIndexOf('/', slash - 1);
  if (key.charAt(before + 1) !== '@') return key.slice(0, slash);
  return before < 0 ? '' : key.slice(0, before);
}
