import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import type { ValueOf } from '../../model/stored/kind.ts';
import type { WatchedTarget } from '../../model/watch/schedule.ts';
import { addressOf } from '../../model/watch/source-address.ts';
import { type FollowUp, followUp, type JobType } from '../job.ts';
import {
  contentOf,
  keyHash,
  ownRequest,
  printableText,
  requestedScanId,
  scanId,
  targetSchema,
  timestamp,
} from './fields.ts';

/** Short, because it is a part of ids of scans. */
export const scheduleName = () =>
  z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'expected letters, digits, `_` and `-`, beginning with a letter');

const runSchema = lazily(() =>
  z.strictObject({ schedule: scheduleName(), due: timestamp(), trigger: z.enum(['schedule', 'command']) }),
);

export type RunSchedule = z.infer<ReturnType<typeof runSchema>>;

/** Starts a run of a schedule: one reading for each of its targets. */
export const RUN_SCHEDULE: JobType<RunSchedule> = {
  name: 'run-schedule',
  version: 1,
  schema: runSchema,
  key: (payload) => `${payload.schedule}.${runOf(payload)}`,
};

/** The id of a run; ids sort by time. */
export function runOf({ due, trigger }: Pick<RunSchedule, 'due' | 'trigger'>): string {
  const time = new Date(due).toISOString().replaceAll(/[^\dTZ]/g, '');
  return trigger === 'command' ? `${time}-command` : time;
}

/** The run of a due time. */
export function runDue(schedule: string, due: Date): FollowUp {
  return followUp(RUN_SCHEDULE, { schedule, due: due.toISOString(), trigger: 'schedule' });
}

const judgeSchema = lazily(() =>
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

export type JudgeSource = z.infer<ReturnType<typeof judgeSchema>>;

/** Opens or resolves the finding about the source of a target. */
export const JUDGE_SOURCE: JobType<JudgeSource> = {
  name: 'judge-source',
  version: 1,
  schema: judgeSchema,
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
  return `${schedule}.${kind}.${keyHash(target, 12)}.${time.replaceAll(/[^\dTZ]/g, '')}`;
}

const scanSchema = lazily(() =>
  z.strictObject({
    scan: requestedScanId(),
    target: targetSchema(),
    // The job checks the rest by the schema of sources, which is loaded when it runs.
    source: z.looseObject({ kind: z.string() }),
    requestedAt: timestamp(),
  }),
);

export type ScanSource = ValueOf<ReturnType<typeof scanSchema>>;

/** Reads the lockfiles of one target from a source and requests their scan, without a schedule. */
export const SCAN_SOURCE: JobType<ScanSource> = {
  name: 'scan-source',
  version: 1,
  schema: scanSchema,
  key: ({ scan }) => scan,
  requested: { own: ownRequest, content: contentOf },
};
