import { importedState, OLD_IMPORT_MS } from '../../advisories/database.ts';
import { openInsightsApi } from '../../compose/insights.ts';
import { dataFolder } from '../../config/data-folder.ts';
import { printableUrl } from '../../http/errors.ts';
import { getVersionBatch } from '../../insights/operations.ts';
import { createInsightsService } from '../../insights/service.ts';
import { closing } from '../../model/closing.ts';
import { broken, degraded, fine } from '../../model/fleet/checks.ts';
import { type IndependentCheck, independent } from './check.ts';

/** More than a page of the public service holds. */
const BATCH = 120;
const SLOW_MS = 5_000;
const EXAMPLES = ['lodash', 'ms', 'chalk', 'express', 'react', 'debug'];

/** One batch request: whether the service answers, how fast, and how many answers a page holds. */
const service = independent('insights', 'service', async ({ loaded, signal }) => {
  const { insights } = loaded.config;
  if (!insights.sources.includes('api')) return fine('is not asked: insights.sources names osv alone');
  const { api, http } = await openInsightsApi(insights);
  return await closing(http, async () => {
    // Mostly versions that do not exist: their answers are small, and a page counts them as well.
    const requests = Array.from({ length: BATCH }, (_, index) => ({
      versionKey: {
        system: 'NPM' as const,
        name: EXAMPLES[index % EXAMPLES.length] ?? '',
        version: `0.0.${index}`,
      },
    }));
    const started = performance.now();
    const answer = await getVersionBatch(createInsightsService(api), { requests }, { signal });
    const ms = Math.round(performance.now() - started);
    if ('error' in answer) {
      const { error } = answer;
      if (error.retryAfterMs !== undefined || error.code === 'rate-limited') {
        const remedy = 'Set `insights.requestsPerSecond` to what the service allows.';
        return degraded(`the service limits requests now: ${error.message}`, remedy);
      }
      return broken(error.message, 'Check insights.url, proxies and the firewall.');
    }
    const { responses = [], nextPageToken } = answer.value;
    const page = nextPageToken
      ? `a page holds ${responses.length} answers`
      : `a page holds ${responses.length} answers or more`;
    const says = `${printableUrl(insights.url)} answered a batch of ${BATCH} in ${ms} ms; ${page}`;
    return ms > SLOW_MS ? degraded(says, 'Scans are slow with it; a proxy may be in between.') : fine(says);
  });
});

const rate = independent('insights', 'rate', async ({ loaded }) => {
  const { requestsPerSecond, concurrency } = loaded.config.insights;
  if (requestsPerSecond === undefined) {
    return fine(`no limit of requests per second; ${concurrency} at a time for each worker`);
  }
  return fine(`at most ${requestsPerSecond} requests per second for all workers`);
});

/** The imported advisories, where they are a source: what they cover, and how old they are. */
const advisories = independent('insights', 'advisories', async ({ loaded }) => {
  const { insights, data } = loaded.config;
  if (!insights.sources.includes('osv')) return fine('no imported advisories are used (insights.sources)');
  const { coverage = [], rejected = [] } = (await importedState(dataFolder(data.folder))) ?? {};
  const texts = coverage.map(
    ({ system, records, asOf }) => `${records} of ${system} as of ${asOf.slice(0, 10)}`,
  );
  const old = coverage.filter(({ importedAt }) => Date.now() - Date.parse(importedAt) > OLD_IMPORT_MS);
  const remedy = '`lockhound data update`, or import them again: `lockhound data import osv <file or URL>`.';
  if (coverage.length === 0) return degraded('the imported advisories cover no system', remedy);
  if (old.length > 0) return degraded(`imported a week ago or more: ${texts.join(', ')}`, remedy);
  const says = `imported advisories: ${texts.join(', ')}`;
  if (rejected.length === 0) return fine(says);
  const lost = rejected.map(({ source, records, first }) => `${records} of ${source}, first ${first}`);
  return degraded(`${says}; not known, because they could not be read: ${lost.join('; ')}`, remedy);
});

export const INSIGHTS_CHECKS: readonly IndependentCheck[] = [service, rate, advisories];
