import type { ContractDifference, DifferenceClass } from '../../model/api/contract.ts';
import { DIFFERENCE_CLASSES } from '../../model/api/contract.ts';
import { jsonPath } from '../description/json-path.ts';

/** One thing as both documents have it. */
export interface Pair<Value> {
  readonly before: Value;
  readonly after: Value;
}

/** A place in both documents, where differences are reported. */
export interface Place {
  readonly keys: readonly string[];
  add(kind: string, severity: DifferenceClass, message: string): void;
  /** A place below, by further keys. */
  below(...keys: readonly string[]): Place;
}

/** A list of differences. */
export type Differences = ReturnType<typeof collectDifferences>;

export function collectDifferences() {
  const found: ContractDifference[] = [];
  /** `subject`: method id or schema name. */
  const at = (subject: string, keys: readonly string[]): Place => ({
    keys,
    add: (kind, severity, message) =>
      found.push({ class: severity, kind, subject, path: jsonPath(keys), message }),
    below: (...more) => at(subject, [...keys, ...more]),
  });
  return {
    at,
    /** Breaking first, then in the order in which they were found. */
    list: (): readonly ContractDifference[] =>
      found.toSorted(
        (left, right) => DIFFERENCE_CLASSES.indexOf(left.class) - DIFFERENCE_CLASSES.indexOf(right.class),
      ),
  };
}
