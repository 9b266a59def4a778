import { createHash } from 'node:crypto';
import { z } from 'zod';
import { lazily } from '../../../model/lazily.ts';
import { addressOf } from '../../../model/watch/source-address.ts';
import type { WatchedTarget } from '../../../model/watch/watched-target.ts';
import { type FollowUp, followUp } from '../../follow-up.ts';
import type { JobType } from '../../job-type.ts';
import { printableText, scanId, targetSchema, timestamp } from '../fields.ts';
import { scheduleName } from './run-schedule.ts';

const schema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    schedule: scheduleName(),
    target: targetSchema(),
    requestedAt: timestamp(),
    address: printableText(1, 100_000),
    ref: printableText(0, 250),
    failing: z
      .strictObject({ since: timestamp(), reason: printableText(1, 1_000) })
      .optional()
      .describe('Absent when the source can be read, or the schedule no longer names the target.'),
    dropped: z.literal(true).optional().describe('The schedule no longer names the target.'),
  }),
);

export type JudgeSource = z.infer<ReturnType<typeof schema>>;

/** Opens or resolves the finding about the source of a target. */
export const JUDGE_SOURCE: JobType<JudgeSource> = {
  name: 'judge-source',
  version: 1,
  schema,
  key: ({ scan }) => scan,
};

/** The source of a target could not be read for too long. The same fault gives the same job, at any time. */
export function sourceFailing(
  schedule: string,
  { target, source, failing }: WatchedTarget,
  requestedAt: string,
): FollowUp | undefined {
  if (failing === undefined) return undefined;
  const { since, reason } = failing;
  return followUp(JUDGE_SOURCE, {
    ...common(schedule, target, source),
    scan: idOf('failing', schedule, target.id, since),
    requestedAt,
    failing: { since, reason },
  });
}

/** Why the source of a target no longer counts as unread: it can be read again, or the schedule no longer names the target. */
type Ending = 'restored' | 'dropped';

/** The finding about the source of a target is resolved. */
export function sourceResolved(
  ending: Ending,
  schedule: string,
  { target, source }: Pick<WatchedTarget, 'target' | 'source'>,
  requestedAt: string,
): FollowUp {
  return followUp(JUDGE_SOURCE, {
    ...common(schedule, target, source),
    scan: idOf(ending, schedule, target.id, requestedAt),
    requestedAt,
    ...(ending === 'dropped' ? { dropped: true as const } : {}),
  });
}

function common(schedule: string, { id, labels }: WatchedTarget['target'], source: WatchedTarget['source']) {
  return {
    schedule,
    target: { id, labels: { ...labels } },
    address: addressOf(source),
    ref: source.kind === 'git' ? source.ref : '',
  };
}

function idOf(kind: string, schedule: string, target: string, time: string): string {
  const hash = createHash('sha256').update(target).digest('hex').slice(0, 12);
  return `${schedule}.${kind}.${hash}.${time.replaceAll(/[^\dTZ]/g, '')}`;
}
