import type { Advisory } from '../model/advisory.ts';
import type * as api from '../model/insights-api.generated.ts';
import { cvssBaseScore } from './cvss.ts';
import { InsightsError } from './errors.ts';

/**
 * An Advisory object as judgements read it. Throws `InsightsError` (`contract`) when it does not say which it is.
 *
 * Scores are computed here and not where they are judged: a vector costs up to a millisecond, and a scan has thousands.
 */
export function readAdvisory(advisory: api.Advisory): Advisory {
  const { url = '', title = '', aliases = [], cvss3Score, cvss3Vector: vector = '' } = advisory;
  const id = advisory.advisoryKey?.id ?? '';
  if (id === '') throw new InsightsError('contract', 'the advisory that came back has no identifier');
  const score = cvssBaseScore(vector) ?? statedScore(cvss3Score, vector);
  return {
    id,
    url,
    title,
    aliases,
    ...(score === undefined ? {} : { score }),
    ...(vector === '' ? {} : { vector }),
  };
}

/** A stated score of 0 beside no vector is the default that JSON writes out, and no score. */
function statedScore(score: number | undefined, vector: string): number | undefined {
  if (score === undefined || score < 0 || score > 10) return undefined;
  return score === 0 && vector === '' ? undefined : score;
}
