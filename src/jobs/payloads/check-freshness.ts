import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';
import { scanId, timestamp } from './fields.ts';

const schema = lazily(() =>
  z.strictObject({
    refresh: scanId(),
    requestedAt: timestamp(),
    stale: z
      .strictObject({ since: timestamp(), reason: z.string().max(1_000) })
      .optional()
      .describe(
        'Since when refreshes have not succeeded, and why; absent while what is known is up to date.',
      ),
  }),
);

export type CheckFreshness = z.infer<ReturnType<typeof schema>>;

/** Alerts when what the fleet knows is out of date, and when it no longer is. */
export const CHECK_FRESHNESS: JobType<CheckFreshness> = {
  name: 'check-freshness',
  version: 1,
  schema,
  key: ({ refresh }) => `freshness.${refresh}`,
};
