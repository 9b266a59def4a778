import { z } from 'zod';
import type { Advisory } from '../model/advisory.ts';
import { gather } from './gather.ts';
import type { Job } from './job.ts';
import { scanId } from './scan-id.ts';
import { partKey } from './scan-part.ts';

const schema = z.strictObject({
  scan: scanId,
  part: z.int().nonnegative(),
  ids: z.array(z.string().min(1).max(200)).max(1_000),
});

/** Advisories of one part of a scan, and the ids that gave none, with the reason. */
export interface CollectedAdvisories {
  readonly advisories: readonly Advisory[];
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
}

/** Fetches advisories (GetAdvisory) through the cache. One that will not load takes nothing else with it. */
export const collectAdvisories: Job<z.infer<typeof schema>, CollectedAdvisories, 'insights'> = {
  name: 'collect-advisories',
  version: 1,
  schema,
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 120_000, timeoutMs: 300_000, concurrency: 4 },
  needs: ['insights'],
  key: partKey,
  async run({ ids }, { insights }, context) {
    const gathered = await gather(
      ids,
      (id) => insights.advisory(id, context.signal),
      (id) => `advisory ${id}`,
      context,
    );
    const absent = gathered.absent.map((id) => ({ id, reason: 'the service has no advisory of this id' }));
    const failed = gathered.failed.map(({ key, reason }) => ({ id: key, reason }));
    return {
      result: { advisories: gathered.found.map(({ fact }) => fact), failed: [...absent, ...failed] },
      next: [],
    };
  },
};
