import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';
import { printableText, scanId, timestamp } from './fields.ts';

const schema = lazily(() =>
  z.strictObject({
    selection: scanId(),
    requestedAt: timestamp(),
    round: z.int().nonnegative(),
    part: z.int().nonnegative(),
    targets: z.array(printableText(1, 200)).max(1_000),
  }),
);

export type JudgeTargets = z.infer<ReturnType<typeof schema>>;

/** Starts the judgements of one part of a selection. */
export const JUDGE_TARGETS: JobType<JudgeTargets> = {
  name: 'judge-targets',
  version: 1,
  schema,
  key: ({ selection, round, part }) => `${selection}.${round}.${part}`,
};
