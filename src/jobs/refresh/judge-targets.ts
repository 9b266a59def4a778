import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import { followUp } from '../follow-up.ts';
import type { Job } from '../job.ts';
import type { JobType } from '../job-type.ts';
import { printableText, scanId, timestamp } from '../payloads/fields.ts';
import { JUDGE_TARGET } from './judge-target.ts';

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

/** Starts `judge-target` for each target of one part of a large selection. */
export const judgeTargets: Job<JudgeTargets, { readonly targets: number }, never> = {
  ...JUDGE_TARGETS,
  limits: { attempts: 20, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 120_000, concurrency: 1 },
  run: async ({ selection, round, requestedAt, targets }) => ({
    result: { targets: targets.length },
    next: targets.map((target) => followUp(JUDGE_TARGET, { selection, round, requestedAt, target })),
  }),
  log: ({ selection }, counts) => ({ facts: { selection, ...counts } }),
  spent: (payload) => ({
    marked: [{ job: JUDGE_TARGETS.name, key: JUDGE_TARGETS.key(payload) }],
    removed: [],
  }),
};
