import { z } from 'zod';
import { CADENCES } from '../../model/fleet/cadence.ts';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';
import { scanId, timestamp } from './fields.ts';

const schema = lazily(() =>
  z.strictObject({
    refresh: scanId(),
    cadence: z.enum(CADENCES),
    requestedAt: timestamp(),
    part: z.int().nonnegative(),
    ids: z.array(z.string().min(1).max(200)).max(1_000),
  }),
);

export type RefreshAdvisories = z.infer<ReturnType<typeof schema>>;

/** Reads one part of the advisories of a refresh. */
export const REFRESH_ADVISORIES: JobType<RefreshAdvisories> = {
  name: 'refresh-advisories',
  version: 1,
  schema,
  key: ({ refresh, part }) => `${refresh}.${part}`,
};
