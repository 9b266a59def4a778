import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';
import { partKey, scanId } from './fields.ts';

const schema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    part: z.int().nonnegative(),
    ids: z.array(z.string().min(1).max(200)).max(1_000),
  }),
);

export type CollectAdvisories = z.infer<ReturnType<typeof schema>>;

/** Fetches one part of the advisories that a scan refers to. */
export const COLLECT_ADVISORIES: JobType<CollectAdvisories> = {
  name: 'collect-advisories',
  version: 1,
  schema,
  key: partKey,
};
