import { PairIndex } from '../packages/pair-index.ts';

/**
 * Values by name and reference. It splits keys (`name@reference`, `/name@reference`, `/name/reference`) when they are added, so
 * that a look-up need not concatenate strings.
 */
export class ReferenceIndex<T> {
  readonly #pairs = new PairIndex<T>();
  readonly #keys: string[] = [];
  readonly #values: T[] = [];
  /** Created on demand: few references are keys. */
  #byKey: Map<string, T> | undefined;

  add(key: string, value: T): void {
    this.#keys.push(key);
    this.#values.push(value);
    this.#byKey = undefined;
    const from = key.startsWith('/') ? 1 : 0;
    const end = endOfName(key, from);
    if (end >= 0) this.#pairs.add(key.slice(from, end), key.slice(end + 1), value);
  }

  /**
   * A reference is a version of the package, the key of another entry (an alias, a location), or `link:` for a folder of the
   * target, which has no entry.
   */
  find(name: string, reference: string): T | undefined {
    return this.#pairs.find(name, reference) ?? this.#entryAt(reference);
  }

  #entryAt(key: string): T | undefined {
    this.#byKey ??= new Map(this.#keys.map((one, at) => [one, this.#values[at] as T]));
    return this.#byKey.get(key);
  }
}

/** End of the name: the first `@` or `/` that does not belong to the scope. */
function endOfName(key: string, from: number): number {
  const scopeEnd = key.charAt(from) === '@' ? key.indexOf('/', from) + 1 : from;
  const at = key.indexOf('@', Math.max(scopeEnd, from + 1));
  const slash = key.indexOf('/', scopeEnd);
  if (at < 0 || slash < 0) return Math.max(at, slash);
  return Math.min(at, slash);
}
