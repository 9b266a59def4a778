import type { Instance } from '../packages/instances.ts';
import { objectsByText } from '../packages/objects-by-text.ts';

/** A key of the file, or a name in a list. Equal ones of one file are one object. */
export interface Name {
  readonly text: string;
  /** Whether it is the key of an entry. */
  isKey: boolean;
  /** Its place at the top of the installed tree. */
  top: Place | undefined;
}

/** Returns the object of a name. */
export type NameOf = (text: string) => Name;

export function createNames(): NameOf {
  return objectsByText((text): Name => ({ text, isKey: false, top: undefined }));
}

/** A place in the installed tree. */
export interface Place {
  /** `undefined` where the file has only places below this one. */
  instance: Instance | undefined;
  readonly parent: Place | undefined;
  readonly depth: number;
  /** Those of the top are in their names. */
  children: Map<Name, Place> | undefined;
}

/** Deeper than installed trees nest. */
const MAX_DEPTH = 64;
/** A key has a place for each of its names, so that a short file could have millions. */
const MAX_PLACES = 1_000_000;

/** Places in the installed tree by key: `a/@b/c/d` is the package d in `@b/c` in a. */
export class Places {
  readonly top: Place = { instance: undefined, parent: undefined, depth: -1, children: undefined };
  readonly #nameOf: NameOf;
  /** The last parent: entries with the same parent follow each other in the file. */
  #last = { key: '', place: this.top };
  #count = 0;

  constructor(nameOf: NameOf) {
    this.#nameOf = nameOf;
  }

  /** Returns `undefined` for a key that nests too deep, and where there are too many places. */
  add(key: Name, instance: Instance): Place | undefined {
    const { text } = key;
    const start = startOfName(text);
    const parent = start === 0 ? this.top : this.#placeAt(text.slice(0, start - 1));
    if (parent === undefined) return undefined;
    const place = this.#childOf(parent, start === 0 ? key : this.#nameOf(text.slice(start)));
    if (place !== undefined) place.instance = instance;
    return place;
  }

  #placeAt(key: string): Place | undefined {
    if (key === this.#last.key) return this.#last.place;
    let place: Place | undefined = this.top;
    for (let start = 0; start < key.length && place !== undefined; ) {
      const end = endOfName(key, start);
      place = this.#childOf(place, this.#nameOf(key.slice(start, end)));
      start = end + 1;
    }
    if (place !== undefined) this.#last = { key, place };
    return place;
  }

  /** Returns `undefined` beyond the limits. */
  #childOf(parent: Place, name: Name): Place | undefined {
    const isTop = parent === this.top;
    const known = isTop ? name.top : parent.children?.get(name);
    if (known !== undefined) return known;
    const depth = parent.depth + 1;
    if (depth > MAX_DEPTH || this.#count >= MAX_PLACES) return undefined;
    this.#count += 1;
    const place: Place = { instance: undefined, parent, depth, children: undefined };
    if (isTop) name.top = place;
    else {
      parent.children ??= new Map();
      parent.children.set(name, place);
    }
    return place;
  }
}

/** Resolves a name as Node does: at the nearest place upwards. */
export function findUpwards(name: Name, from: Place): Instance | undefined {
  for (let place = from; place.parent !== undefined; place = place.parent) {
    const found = place.children?.get(name)?.instance;
    if (found !== undefined) return found;
  }
  return name.top?.instance;
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
