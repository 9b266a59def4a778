import type { Advisory } from '../model/advisory.ts';
import type * as api from '../model/insights-api.generated.ts';
import { InsightsError } from './errors.ts';

/** An Advisory object as judgements read it. Throws `InsightsError` (`contract`) when it does not say which it is. */
export function readAdvisory(advisory: api.Advisory): Advisory {
  const { url = '', title = '', aliases = [], cvss3Score = 0, cvss3Vector = '' } = advisory;
  const id = advisory.advisoryKey?.id ?? '';
  if (id === '') throw new InsightsError('contract', 'the advisory that came back has no identifier');
  return {
    id,
    url,
    title,
    aliases,
    // Defaults are written out in JSON: 0 without a vector is no score, 0 with one is a real 0.
    ...(cvss3Score === 0 && cvss3Vector === '' ? {} : { cvss3Score }),
    ...(cvss3Vector === '' ? {} : { cvss3Vector }),
  };
}
