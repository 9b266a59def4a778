import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';
import { scanId, targetSchema, timestamp } from './fields.ts';

const MAX_PARTS = 100_000;

const schema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    target: targetSchema(),
    requestedAt: timestamp(),
    advisoryParts: z.int().nonnegative().max(MAX_PARTS),
    expansionParts: z.int().nonnegative().max(MAX_PARTS),
    partial: z.literal(true).optional().describe('The scan names only some of the lockfiles of its target.'),
  }),
);

export type JudgeScan = z.infer<ReturnType<typeof schema>>;

/** Judges a scan from its inventory and the parts that its children fetched. */
export const JUDGE_SCAN: JobType<JudgeScan> = {
  name: 'judge-scan',
  // In version 1 the parts held all advisories of the scan; now only those that were not known. Its fields are the same.
  version: 2,
  upgrades: { 1: (payload) => payload },
  schema,
  key: ({ scan }) => scan,
};
