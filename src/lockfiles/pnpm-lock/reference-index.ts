/** References of one name, above which they are looked up by a table: no honest file has as many. */
const MANY = 32;

interface Known<T> {
  readonly references: string[];
  readonly values: T[];
  /** The first position of each reference, once there are many. */
  positions: Map<string, number> | undefined;
}

/**
 * Finds entries by what refers to them: a name and a reference. Keys hold the two as `name@reference`, `/name@reference` or
 * `/name/reference`; they are split once, so that no key has to be put together for a look-up.
 */
export class ReferenceIndex<T> {
  readonly #byName = new Map<string, Known<T>>();
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
    if (end < 0) return;
    const name = key.slice(from, end);
    const reference = key.slice(end + 1);
    const known = this.#byName.get(name);
    if (known === undefined)
      this.#byName.set(name, { references: [reference], values: [value], positions: undefined });
    else {
      known.references.push(reference);
      known.values.push(value);
      known.positions = undefined;
    }
  }

  /**
   * References are versions of the package named, keys of others (aliases, places), or `link:` to the target's own folders,
   * which is no entry.
   */
  find(name: string, reference: string): T | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined) {
      const at = positionIn(known, reference);
      if (at >= 0) return known.values[at];
    }
    return this.#entryAt(reference);
  }

  #entryAt(key: string): T | undefined {
    this.#byKey ??= new Map(this.#keys.map((one, at) => [one, this.#values[at] as T]));
    return this.#byKey.get(key);
  }
}

function positionIn<T>(known: Known<T>, reference: string): number {
  const { references } = known;
  if (references.length <= MANY) return references.indexOf(reference);
  known.positions ??= new Map(references.map((one, at) => [one, at] as const).reverse());
  return known.positions.get(reference) ?? -1;
}

/** Where the name ends: at the first `@` or `/` that does not belong to the scope. */
function endOfName(key: string, from: number): number {
  const scopeEnd = key.charAt(from) === '@' ? key.indexOf('/', from) + 1 : from;
  const at = key.indexOf('@', Math.max(scopeEnd, from + 1));
  const slash = key.indexOf('/', scopeEnd);
  if (at < 0 || slash < 0) return Math.max(at, slash);
  return Math.min(at, slash);
}
