import calculator from 'ae-cvss-calculator';

/** Longer than any vector with all metrics of its version. */
const MAX_LENGTH = 400;

/** Vectors of version 2 begin with their first metric. */
const KNOWN_VERSION = /^(?:CVSS:(?:2\.0|3\.0|3\.1|4\.0)\/|AV:)/;

/**
 * The base score, 0 to 10 in tenths, of a CVSS vector of version 2.0, 3.0, 3.1 or 4.0; `undefined` when the text is not
 * such a vector or lacks a base metric. Threat, temporal and environmental metrics are ignored.
 */
export function cvssBaseScore(vector: string): number | undefined {
  if (vector.length > MAX_LENGTH || !KNOWN_VERSION.test(vector)) return undefined;
  const read = calculator.fromVector(vector);
  if (read === null || !read.isBaseFullyDefined()) return undefined;
  const scores = read.calculateScores();
  return 'baseMetricsOnly' in scores ? scores.baseMetricsOnly : scores.base;
}
