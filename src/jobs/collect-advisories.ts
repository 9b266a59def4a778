import { z } from 'zod';
import { lazily } from '../model/lazily.ts';
import type { CollectedAdvisories } from '../model/scan/inventory.ts';
import { COLLECTED_ADVISORIES } from '../model/stored/catalog.ts';
import { fetchAdvisories } from '../scan/advisories.ts';
import type { Job } from './job.ts';
import { dividedAt, partKey, scanId } from './payloads/fields.ts';

const schema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    dividedAt: dividedAt(),
    part: z.int().nonnegative(),
    ids: z.array(z.string().min(1).max(200)).max(1_000),
  }),
);

type CollectAdvisories = z.infer<ReturnType<typeof schema>>;

/** Fetches advisories (GetAdvisory) through the cache. One that cannot be fetched does not fail the others. */
export const collectAdvisories: Job<CollectAdvisories, CollectedAdvisories, 'insights'> = {
  name: 'collect-advisories',
  version: 1,
  schema,
  key: ({ scan, ...part }) => partKey({ of: scan, ...part }),
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 120_000, timeoutMs: 300_000, concurrency: 4 },
  resultKind: COLLECTED_ADVISORIES,
  async run({ ids }, { insights }, context) {
    return { result: await fetchAdvisories(ids, insights, context), next: [] };
  },
  log({ scan, part }, { advisories, failed }) {
    const gaps = failed.length + advisories.filter(({ problems }) => problems !== undefined).length;
    return {
      facts: { scan, part, advisories: advisories.length, gaps },
      warning: gaps === 0 ? undefined : 'advisories could not be fetched or not be read completely',
    };
  },
};
