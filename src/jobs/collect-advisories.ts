import type { CollectedAdvisories } from '../model/scan/advisory.ts';
import { COLLECTED_ADVISORIES } from '../model/stored/catalog.ts';
import { fetchAll } from './fetch-all.ts';
import type { Job } from './job.ts';
import { COLLECT_ADVISORIES, type CollectAdvisories } from './payloads/collect-advisories.ts';

/** Fetches advisories (GetAdvisory) through the cache. One that cannot be fetched does not fail the others. */
export const collectAdvisories: Job<CollectAdvisories, CollectedAdvisories, 'insights'> = {
  ...COLLECT_ADVISORIES,
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 120_000, timeoutMs: 300_000, concurrency: 4 },
  needs: ['insights'],
  resultKind: COLLECTED_ADVISORIES,
  async run({ ids }, { insights }, context) {
    const fetched = await fetchAll(
      ids,
      (id) => insights.advisory(id, context.signal),
      (id) => `advisory ${id}`,
      context,
    );
    const absent = fetched.absent.map((id) => ({ id, reason: 'the service has no advisory of this id' }));
    const failed = fetched.failed.map(({ key, reason }) => ({ id: key, reason }));
    return {
      result: { advisories: fetched.found.map(({ fact }) => fact), failed: [...absent, ...failed] },
      next: [],
    };
  },
  log({ scan, part }, { advisories, failed }) {
    const gaps = failed.length + advisories.filter(({ problems }) => problems !== undefined).length;
    return {
      facts: { scan, part, advisories: advisories.length, gaps },
      warning: gaps === 0 ? undefined : 'advisories could not be fetched or not be read completely',
    };
  },
};
