import { z } from 'zod';
import { CADENCES } from '../../model/fleet/cadence.ts';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';
import { scanId, timestamp } from './fields.ts';

const MAX_PARTS = 100_000;

const schema = lazily(() =>
  z.strictObject({
    refresh: scanId(),
    cadence: z.enum(CADENCES),
    requestedAt: timestamp(),
    staleAfter: z.int().nonnegative().optional().describe('Written by earlier releases, and not read.'),
    packageParts: z.int().nonnegative().max(MAX_PARTS),
    advisoryParts: z.int().nonnegative().max(MAX_PARTS),
  }),
);

export type FinishRefresh = z.infer<ReturnType<typeof schema>>;

/** Ends a refresh whose parts are done. */
export const FINISH_REFRESH: JobType<FinishRefresh> = {
  name: 'finish-refresh',
  version: 1,
  schema,
  key: ({ refresh }) => refresh,
};
