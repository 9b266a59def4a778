import type * as api from '../../model/api/insights-api.generated.ts';
import { defined } from '../../model/defined.ts';
import type { Advisory } from '../../model/scan/inventory.ts';
import { type Answer, formatProblem } from '../answered.ts';
import { InsightsError } from '../errors.ts';

/** More names than any issue has. Each finding contains them. */
const MAX_ALIASES = 100;

/** Listed for an advisory of which nothing can be read. */
const MAX_PROBLEMS = 10;

const ALIAS = /^[^\s/?#]{1,100}$/;

/**
 * The advisory as the rules read it. Values that cannot be used are left out and listed in `problems`. Throws
 * `InsightsError` (`contract`) when it is not the requested advisory.
 *
 * Scores are computed here, once: a vector takes up to a millisecond, and a scan has thousands. `known`: that of the vector, where it was
 * computed before.
 */
export async function readAdvisory(
  { value, problems: misfits }: Pick<Answer<api.Advisory>, 'value' | 'problems'>,
  asked: string,
  known?: number,
): Promise<Advisory> {
  const { url = '', title = '', aliases = [], cvss3Score, cvss3Vector: vector = '' } = value;
  checkId(value.advisoryKey?.id ?? '', asked);
  const problems = misfits.map(formatProblem);
  const computed = vector === '' ? undefined : (known ?? (await computedScore(vector)));
  if (computed === undefined && vector !== '') problems.push(`not a CVSS vector: ${excerpt(vector)}`);
  const score = computed ?? statedScore(cvss3Score, vector, problems);
  return {
    id: asked,
    url,
    title,
    aliases: readAliases(aliases, asked, problems),
    ...defined({ score }),
    ...(computed === undefined ? {} : { vector }),
    ...(problems.length === 0 ? {} : { problems: firstOf(problems) }),
  };
}

/** The calculator is loaded for the first vector: it is large. */
async function computedScore(vector: string): Promise<number | undefined> {
  const { cvssBaseScore } = await import('../../model/advisories/cvss.ts');
  return cvssBaseScore(vector);
}

function checkId(id: string, asked: string): void {
  if (id === '') throw new InsightsError('contract', 'the advisory in the answer has no identifier');
  if (id.toLowerCase() === asked.toLowerCase()) return;
  throw new InsightsError('contract', `the answer to a request for ${asked} is the advisory ${excerpt(id)}`);
}

/** A stated score of 0 without a vector is a JSON default and not a score. */
function statedScore(score: number | undefined, vector: string, problems: string[]): number | undefined {
  if (score === undefined || (score === 0 && vector === '')) return undefined;
  if (score >= 0 && score <= 10) return score;
  problems.push(`not a CVSS score: ${score}`);
  return undefined;
}

/** An alias that is not an identifier, such as an empty one, would merge advisories of different issues. */
function readAliases(aliases: readonly string[], id: string, problems: string[]): readonly string[] {
  const names = [...new Set(aliases)].filter((alias) => alias !== id);
  const usable = names.filter((alias) => ALIAS.test(alias));
  const bad = names.find((alias) => !ALIAS.test(alias));
  if (bad !== undefined) problems.push(`an alias that is not an identifier: ${excerpt(bad)}`);
  if (usable.length > MAX_ALIASES)
    problems.push(`${usable.length} aliases; the first ${MAX_ALIASES} are used`);
  return usable.slice(0, MAX_ALIASES);
}

function firstOf(problems: readonly string[]): readonly string[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  return [...problems.slice(0, MAX_PROBLEMS), `and ${problems.length - MAX_PROBLEMS} more`];
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
