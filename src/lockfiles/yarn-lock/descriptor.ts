/** The real name where a range is an alias: `npm:other@^1`; with a version alone, the name stays. */
export function aliasedName(range: string): string | undefined {
  if (!range.startsWith('npm:')) return undefined;
  const at = range.indexOf('@', 5);
  return at < 0 ? undefined : range.slice(4, at);
}

/** Ranges of one name, above which they are looked up by a table: no honest file has as many. */
const MANY = 32;

interface Known<T> {
  readonly range: string;
  readonly value: T;
  /** The next range of the same name. */
  next: Known<T> | undefined;
}

interface Ranges<T> {
  readonly first: Known<T>;
  last: Known<T>;
  count: number;
  /** Whether all values are the same one. */
  isOne: boolean;
  /** The first value of each range, once there are many. */
  table: Map<string, T> | undefined;
}

/** Entries by the descriptors that lead to them: by name, then by range, so that no key has to be put together. */
export class DescriptorIndex<T> {
  readonly #byName = new Map<string, Ranges<T>>();

  add(name: string, range: string, value: T): void {
    const one: Known<T> = { range, value, next: undefined };
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

  /** The entry for a range of a name; the only one of that name where a `resolutions` override hides the range. */
  find(name: string, range: string): T | undefined {
    const known = this.#byName.get(name);
    if (known === undefined) return undefined;
    const { first, count, isOne } = known;
    const found = count > MANY ? valueInTable(known, range) : valueIn(first, range);
    return found === undefined && isOne ? first.value : found;
  }
}

/** Of the range itself, or of what yarn makes of it where it names no protocol. */
function valueIn<T>(first: Known<T>, range: string): T | undefined {
  for (let known: Known<T> | undefined = first; known !== undefined; known = known.next) {
    if (known.range === range) return known.value;
  }
  for (let known: Known<T> | undefined = first; known !== undefined; known = known.next) {
    if (known.range.length === range.length + 4 && known.range === `npm:${range}`) return known.value;
  }
  return undefined;
}

function valueInTable<T>(known: Ranges<T>, range: string): T | undefined {
  known.table ??= tableOf(known.first);
  return known.table.get(range) ?? known.table.get(`npm:${range}`);
}

function tableOf<T>(first: Known<T>): Map<string, T> {
  const table = new Map<string, T>();
  for (let known: Known<T> | undefined = first; known !== undefined; known = known.next) {
    if (!table.has(known.range)) table.set(known.range, known.value);
  }
  return table;
}
