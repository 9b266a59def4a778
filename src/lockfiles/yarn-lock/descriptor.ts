/** The real name where a range is an alias: `npm:other@^1`; with a version alone, the name stays. */
export function aliasedName(range: string): string | undefined {
  if (!range.startsWith('npm:')) return undefined;
  const at = range.indexOf('@', 5);
  return at < 0 ? undefined : range.slice(4, at);
}

/** Ranges of one name, above which they are looked up by a table: no honest file has as many. */
const MANY = 32;

interface Known<T> {
  readonly ranges: string[];
  readonly values: T[];
  /** The first position of each range, once there are many. */
  positions: Map<string, number> | undefined;
  /** Whether all values are the same one. */
  isOne: boolean;
}

/** Entries by the descriptors that lead to them: by name, then by range, so that no key has to be put together. */
export class DescriptorIndex<T> {
  readonly #byName = new Map<string, Known<T>>();

  add(name: string, range: string, value: T): void {
    const known = this.#byName.get(name);
    if (known === undefined) {
      this.#byName.set(name, { ranges: [range], values: [value], positions: undefined, isOne: true });
      return;
    }
    known.ranges.push(range);
    known.values.push(value);
    known.positions = undefined;
    known.isOne &&= value === known.values[0];
  }

  /** The entry for a range of a name; the only one of that name where a `resolutions` override hides the range. */
  find(name: string, range: string): T | undefined {
    const known = this.#byName.get(name);
    if (known === undefined) return undefined;
    const { ranges, values } = known;
    const at = ranges.length > MANY ? positionInTable(known, range) : positionIn(ranges, range);
    if (at >= 0) return values[at];
    return known.isOne ? values[0] : undefined;
  }
}

/** Of the range itself, or of what yarn makes of it where it names no protocol. */
function positionIn(ranges: readonly string[], range: string): number {
  const at = ranges.indexOf(range);
  if (at >= 0) return at;
  return ranges.findIndex((one) => one.length === range.length + 4 && one === `npm:${range}`);
}

function positionInTable<T>(known: Known<T>, range: string): number {
  known.positions ??= new Map(known.ranges.map((one, at) => [one, at] as const).reverse());
  return known.positions.get(range) ?? known.positions.get(`npm:${range}`) ?? -1;
}
