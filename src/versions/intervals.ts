/** Negative when the first version is the earlier one. */
type Compare = (left: string, right: string) => number;

/** A bound of an interval. */
interface Bound {
  readonly version: string;
  readonly inclusive: boolean;
}

/** An interval of versions; without a bound it is open. */
export interface Interval {
  readonly lower?: Bound | undefined;
  readonly upper?: Bound | undefined;
}

/** An interval, with the comma after it. */
const INTERVAL = /([[(])([^,[\]()]*)(?:(,)([^,[\]()]*))?([\])])(?:\s*,\s*)?/y;

/**
 * The intervals of Maven and NuGet: `[1.0,2.0)`, `(,1.0]`, `[1.0]`, several separated by commas. A version without brackets
 * is a lower bound. `undefined` for another text.
 */
export function parseIntervals(text: string): readonly Interval[] | undefined {
  const trimmed = text.trim();
  if (!/[[(]/.test(trimmed)) {
    return trimmed === '' ? undefined : [{ lower: { version: trimmed, inclusive: true } }];
  }
  const intervals: Interval[] = [];
  for (let at = 0; at < trimmed.length; ) {
    INTERVAL.lastIndex = at;
    const match = INTERVAL.exec(trimmed);
    const interval = match === null ? undefined : intervalOf(match);
    if (interval === undefined) return undefined;
    intervals.push(interval);
    at = INTERVAL.lastIndex;
  }
  return intervals;
}

function intervalOf([, open, before = '', comma, behind = '', close]: RegExpExecArray): Interval | undefined {
  const [from, to] = [before.trim(), behind.trim()];
  if (comma === undefined) {
    if (from === '' || open !== '[' || close !== ']') return undefined;
    const exact = { version: from, inclusive: true };
    return { lower: exact, upper: exact };
  }
  return {
    lower: from === '' ? undefined : { version: from, inclusive: open === '[' },
    upper: to === '' ? undefined : { version: to, inclusive: close === ']' },
  };
}

export function inIntervals(version: string, intervals: readonly Interval[], compare: Compare): boolean {
  return intervals.some(({ lower, upper }) => {
    const above = lower === undefined ? 1 : compare(version, lower.version);
    const below = upper === undefined ? -1 : compare(version, upper.version);
    return (
      (above > 0 || (above === 0 && lower?.inclusive === true)) &&
      (below < 0 || (below === 0 && upper?.inclusive === true))
    );
  });
}
