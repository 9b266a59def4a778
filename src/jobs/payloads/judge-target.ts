import { createHash } from 'node:crypto';
import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';
import { printableText, scanId, timestamp } from './fields.ts';

const schema = lazily(() =>
  z.strictObject({
    selection: scanId(),
    round: z.int().nonnegative(),
    requestedAt: timestamp(),
    target: printableText(1, 200),
  }),
);

export type JudgeTarget = z.infer<ReturnType<typeof schema>>;

/** Judges a target again from its stored lockfiles and what the fleet knows. */
export const JUDGE_TARGET: JobType<JudgeTarget> = {
  name: 'judge-target',
  version: 1,
  schema,
  key: keyOf,
};

function keyOf({ selection, round, target }: JudgeTarget): string {
  const name = createHash('sha256').update(target).digest('hex').slice(0, 16);
  return `${selection}.${round}.${name}`;
}
