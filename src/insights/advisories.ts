import type { Advisory } from '../model/advisory.ts';
import { fieldsOf, mismatch, numberOf, textOf, textsOf } from './answer.ts';

/** An Advisory object. Throws `InsightsError` (`contract`) where it is not as promised. */
export function readAdvisory(value: unknown, at: string): Advisory {
  const advisory = fieldsOf(value, at);
  const id = textOf(fieldsOf(advisory['advisoryKey'], `${at}.advisoryKey`), 'id', `${at}.advisoryKey`);
  if (id === '') throw mismatch(`${at}.advisoryKey.id`, 'an identifier', id);
  const score = numberOf(advisory, 'cvss3Score', at);
  const vector = textOf(advisory, 'cvss3Vector', at);
  return {
    id,
    url: textOf(advisory, 'url', at),
    title: textOf(advisory, 'title', at),
    aliases: textsOf(advisory, 'aliases', at),
    // Defaults are written out in JSON: 0 without a vector is no score, 0 with one is a real 0.
    ...(score === 0 && vector === '' ? {} : { cvss3Score: score }),
    ...(vector === '' ? {} : { cvss3Vector: vector }),
  };
}
