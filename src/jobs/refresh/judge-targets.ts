import { followUp } from '../follow-up.ts';
import type { Job } from '../job.ts';
import { JUDGE_TARGET } from '../payloads/judge-target.ts';
import { JUDGE_TARGETS, type JudgeTargets } from '../payloads/judge-targets.ts';

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
