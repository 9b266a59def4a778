import { PairIndex } from '../packages/pair-index.ts';

/**
 * Finds entries by what refers to them: a name and a reference. Keys hold the two as `name@reference`, `/name@reference` or
 * `/name/reference`; they are split once, so that no key has to be put together for a look-up.
 */
export class ReferenceIndex<T> {
  readonly #pairs = new PairIndex<T>();
  readonly #keys: string[] = [];
  readonly #values: T[] = [];
  /** Made when it is needed: few references are keys. */
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
   * References are versions of the package named, keys of others (aliases, places), or `link:` to the target's own folders,
   * which is no entry.
   */
  find(name: string, reference: string): T | undefined {
    return this.#pairs.find(name, reference) ?? this.#entryAt(reference);
  }

  #entryAt(key: string): T | undefined {
    this.#byKey ??= new Map(this.#keys.map((one, at) => [one, this.#values[at] as T]));
    return this.#byKey.get(key);
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
