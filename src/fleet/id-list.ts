/** Ids of packages: ascending, without repetition. */
export type IdList = Uint32Array;

/** The ids as differences in a variable number of bytes each (LEB128): about 1.3 bytes an id. */
export function encodeIds(ids: Iterable<number>): Buffer {
  const bytes: number[] = [];
  let previous = 0;
  for (const id of ids) {
    let rest = id - previous;
    previous = id;
    while (rest > 0x7f) {
      bytes.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    bytes.push(rest);
  }
  return Buffer.from(bytes);
}

/** Reads what `encodeIds` wrote. Throws `RangeError` when the last id is cut off. */
export function decodeIds(encoded: Uint8Array): IdList {
  const ids = new Uint32Array(encoded.length);
  let count = 0;
  visitIds(encoded, (id) => {
    ids[count++] = id;
  });
  return ids.subarray(0, count);
}

/** Calls `visit` with each id, in ascending order. Throws `RangeError` when the last id is cut off. */
export function visitIds(encoded: Uint8Array, visit: (id: number) => void): void {
  let [id, rest, shift] = [0, 0, 0];
  for (let at = 0; at < encoded.length; at += 1) {
    const byte = encoded[at] as number;
    rest |= (byte & 0x7f) << shift;
    if (byte > 0x7f) {
      shift += 7;
      continue;
    }
    id += rest >>> 0;
    visit(id);
    rest = 0;
    shift = 0;
  }
  if (shift !== 0) throw new RangeError('the list of ids is cut off');
}

/**
 * The ids of a list that are wanted; both ascending. It ends at the last wanted id. Throws `RangeError` when an id is cut off. A part of an
 * id is never more than the id, so that nearly all bytes pass without a branch that depends on the content: a pass over the lists of a large
 * fleet takes a third of the time (`npm run bench -- feed`).
 */
export function heldIds(encoded: Uint8Array, wanted: IdList): readonly number[] {
  const held: number[] = [];
  if (wanted.length === 0) return held;
  let [id, shift, position] = [0, 0, 0];
  let next = wanted[0] as number;
  for (let at = 0; at < encoded.length; at += 1) {
    const byte = encoded[at] as number;
    id = (id + ((byte & 0x7f) << shift)) >>> 0;
    shift = (shift + 7) & -(byte >>> 7);
    if (id < next || shift !== 0) continue;
    while (position < wanted.length && (wanted[position] as number) < id) position += 1;
    if (wanted[position] === id) {
      held.push(id);
      position += 1;
    }
    if (position === wanted.length) return held;
    next = wanted[position] as number;
  }
  if (shift !== 0) throw new RangeError('the list of ids is cut off');
  return held;
}

/** A set of ids with constant-time look-ups and one bit for each id up to the largest. */
export interface IdSet {
  add(id: number): void;
  has(id: number): boolean;
  readonly size: number;
  /** All ids, ascending. */
  toList(): IdList;
}

export function createIdSet(ids: Iterable<number> = []): IdSet {
  let bits = new Uint32Array(1024);
  let size = 0;
  const set: IdSet = {
    add(id) {
      const word = id >>> 5;
      if (word >= bits.length) {
        const grown = new Uint32Array(Math.max(bits.length * 2, word + 1));
        grown.set(bits);
        bits = grown;
      }
      const mask = 1 << (id & 31);
      const before = bits[word] as number;
      if ((before & mask) !== 0) return;
      bits[word] = before | mask;
      size += 1;
    },
    has: (id) => ((bits[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0,
    get size() {
      return size;
    },
    toList() {
      const list = new Uint32Array(size);
      let count = 0;
      for (const [word, value] of bits.entries()) {
        for (let left = value; left !== 0; left &= left - 1) {
          list[count++] = word * 32 + (31 - Math.clz32(left & -left));
        }
      }
      return list;
    },
  };
  for (const id of ids) set.add(id);
  return set;
}
