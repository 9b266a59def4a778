import {
  type ContractDifference,
  DIFFERENCE_CLASSES,
  type DifferenceClass,
} from '../../model/api/contract.ts';
import { jsonPath } from '../description/json-path.ts';

/** A place in both documents. */
export interface Place {
  /** Method id or schema name. */
  readonly subject: string;
  readonly keys: readonly string[];
}

/** A list of differences. */
export interface Differences {
  add(kind: string, severity: DifferenceClass, place: Place, message: string): void;
  /** Breaking first, then in the order in which they were found. */
  readonly list: () => readonly ContractDifference[];
}

export function collectDifferences(): Differences {
  const found: ContractDifference[] = [];
  return {
    add(kind, severity, { subject, keys }, message) {
      found.push({ class: severity, kind, subject, path: jsonPath(keys), message });
    },
    list: () =>
      found.toSorted(
        (left, right) => DIFFERENCE_CLASSES.indexOf(left.class) - DIFFERENCE_CLASSES.indexOf(right.class),
      ),
  };
}

/** A place below, by further keys. */
export function below({ subject, keys }: Place, ...more: readonly string[]): Place {
  return { subject, keys: [...keys, ...more] };
}
