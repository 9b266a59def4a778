/** Above this number of values a name gets a table; files written by tools have fewer. */
const MANY = 32;

/** An element of the linked list of a name. */
interface Known<T> {
  readonly second: string;
  readonly value: T;
  next: Known<T> | undefined;
}

interface Named<T> {
  readonly first: Known<T>;
  last: Known<T>;
  count: number;
  /** Whether all values are identical. */
  isOne: boolean;
  /** The first value of each second part. Created on demand. */
  table: Map<string, T> | undefined;
}

/**
 * Values by pairs of strings, such as a name and a range. It looks up the name first, so that it need not concatenate keys.
 * The first value of a repeated pair counts.
 */
export class PairIndex<T> {
  readonly #byName = new Map<string, Named<T>>();

  add(name: string, second: string, value: T): void {
    const one: Known<T> = { second, value, next: undefined };
    const known = this.#byName.get(name);
    if (known === undefined) {
      this.#byName.set(name, { first: one, last: one, count: 1, isOne: true, table: undefined });
      return;
    }
    known.last.next = one;
    known.last = one;
    known.count += 1;
    known.isOne &&= value === known.first.value;
    known.table = undefined;
  }

  find(name: string, second: string): T | undefined {
    const known = this.#byName.get(name);
    if (known === undefined) return undefined;
    if (known.count > MANY) {
      known.table ??= tableOf(known.first);
      return known.table.get(second);
    }
    for (let one: Known<T> | undefined = known.first; one !== undefined; one = one.next) {
      if (one.second === second) return one.value;
    }
    return undefined;
  }

  /** The value of a name that has only one. */
  only(name: string): T | undefined {
    const known = this.#byName.get(name);
    return known?.isOne === true ? known.first.value : undefined;
  }
}

function tableOf<T>(first: Known<T>): Map<string, T> {
  const table = new Map<string, T>();
  for (let one: Known<T> | undefined = first; one !== undefined; one = one.next) {
    if (!table.has(one.second)) table.set(one.second, one.value);
  }
  return table;
}
