/** A place in the installed tree. */
export interface Place<T> {
  /** `undefined` where the file has only places below this one. */
  value: T | undefined;
  readonly parent: Place<T> | undefined;
  readonly depth: number;
  /** By name. */
  children: Map<string, Place<T>> | undefined;
}

/** Deeper than installed trees nest. */
const MAX_DEPTH = 64;
/** A key has a place for each of its names, so that a short file could have millions. */
const MAX_PLACES = 1_000_000;

/** Places in the installed tree by key: `a/@b/c/d` is the package d in `@b/c` in a. */
export class Places<T> {
  readonly #top: Place<T> = { value: undefined, parent: undefined, depth: -1, children: new Map() };
  /** The last parent: entries with the same parent follow each other in the file. */
  #last = { key: '', place: this.#top };
  #count = 0;

  /** Returns `undefined` for a key that nests too deep, and where there are too many places. */
  add(key: string, value: T): Place<T> | undefined {
    const start = startOfName(key);
    const parent = start === 0 ? this.#top : this.#placeAt(key.slice(0, start - 1));
    if (parent === undefined) return undefined;
    const place = this.#childOf(parent, start === 0 ? key : key.slice(start));
    if (place !== undefined) place.value = value;
    return place;
  }

  /** The place of this name at the top; the top itself when it has no such place. */
  at(name: string): Place<T> {
    return this.#top.children?.get(name) ?? this.#top;
  }

  #placeAt(key: string): Place<T> | undefined {
    if (key === this.#last.key) return this.#last.place;
    let place: Place<T> | undefined = this.#top;
    for (let start = 0; start < key.length && place !== undefined; ) {
      const end = endOfName(key, start);
      place = this.#childOf(place, key.slice(start, end));
      start = end + 1;
    }
    if (place !== undefined) this.#last = { key, place };
    return place;
  }

  /** Returns `undefined` beyond the limits. */
  #childOf(parent: Place<T>, name: string): Place<T> | undefined {
    const known = parent.children?.get(name);
    if (known !== undefined) return known;
    const depth = parent.depth + 1;
    if (depth > MAX_DEPTH || this.#count >= MAX_PLACES) return undefined;
    this.#count += 1;
    const place = { value: undefined, parent, depth, children: undefined };
    parent.children ??= new Map();
    parent.children.set(name, place);
    return place;
  }
}

/** Resolves a name as Node does: at the nearest place upwards. */
export function findUpwards<T>(name: string, from: Place<T>): T | undefined {
  for (let place: Place<T> | undefined = from; place !== undefined; place = place.parent) {
    const found = place.children?.get(name)?.value;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Start of the last name of a key, which can have a scope. */
function startOfName(key: string): number {
  const slash = key.lastIndexOf('/');
  if (slash < 0) return 0;
  const before = key.lastIndexOf('/', slash - 1);
  return key.charAt(before + 1) === '@' ? before + 1 : slash + 1;
}

function endOfName(key: string, start: number): number {
  const scopeEnd = key.charAt(start) === '@' ? key.indexOf('/', start) : start;
  const end = scopeEnd < 0 ? -1 : key.indexOf('/', scopeEnd + (scopeEnd > start ? 1 : 0));
  return end < 0 ? key.length : end;
}
