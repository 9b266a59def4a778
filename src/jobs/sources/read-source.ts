import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CodedError, messageOf } from '../../model/errors.ts';
import { lazily } from '../../model/lazily.ts';
import { scanIdOf } from '../../model/scan/scan-id.ts';
import type { ValueOf } from '../../model/stored/value-of.ts';
import type { OpenTarget } from '../../model/watch/open-target.ts';
import type { ReadingEnding } from '../../model/watch/schedule-run.ts';
import type { TargetSource } from '../../model/watch/source.ts';
import type { SourceFile, SourceReading } from '../../model/watch/source-reading.ts';
import type { WatchedTarget } from '../../model/watch/watched-target.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import type { Job, JobRun, RunContext } from '../job.ts';
import type { JobType } from '../job-type.ts';
import { targetSchema, timestamp } from '../payloads/fields.ts';
import { INGEST_LOCKFILES, type IngestLockfiles } from '../payloads/ingest-lockfiles.ts';
import { sourceResolved } from '../payloads/sources/judge-source.ts';
import { scheduleName } from '../payloads/sources/run-schedule.ts';
import type { Ports } from '../ports.ts';

const schema = lazily(() =>
  z.strictObject({
    schedule: scheduleName(),
    run: z.string().regex(/^[\dTZ]{1,30}(?:-command)?$/),
    due: timestamp(),
    target: targetSchema(),
  }),
);

export type ReadSource = ValueOf<ReturnType<typeof schema>>;

/** Reads the lockfiles of one target of a schedule. */
export const READ_SOURCE: JobType<ReadSource> = {
  name: 'read-source',
  version: 1,
  schema,
  key: keyOf,
};

function keyOf({ schedule, run, target }: ReadSource): string {
  const hash = createHash('sha256').update(target.id).digest('hex').slice(0, 12);
  return `${schedule}.${run}.${hash}`;
}

type Needs = Pick<Ports, 'fleet' | 'schedules' | 'sources'>;

interface Result {
  /** `superseded`: another run has begun. */
  readonly ending: ReadingEnding | 'superseded';
  readonly files?: number;
  readonly reason?: string;
}

const MAX_REASON_CHARACTERS = 500;

/**
 * Reads the lockfiles of one target of a schedule, and requests their scan. A source that has not changed is not read: the scan
 * gets what was read before, and repeats its result while the facts are fresh. A source that cannot be read is recorded as failing;
 * nothing is resolved.
 */
export const readSource: Job<ReadSource, Result, keyof Needs> = {
  ...READ_SOURCE,
  limits: { attempts: 4, backoffMs: 4_000, maxBackoffMs: 60_000, timeoutMs: 900_000, concurrency: 4 },
  // One source that kills workers must not keep the run open.
  runsAfterStalls: true,
  async run(payload, { fleet, schedules, sources }, context) {
    const { schedule, run, target } = payload;
    const open = await schedules.openTarget(schedule, target.id);
    // Another run has begun since, because this one took too long; or the schedule is forgotten.
    if (open?.run !== run) return { result: { ending: 'superseded' }, next: [] };
    const { source, definition } = open;
    const known = await schedules.target(schedule, target.id);
    const last = known?.definition === definition ? await schedules.reading(schedule, target.id) : undefined;
    const reading = await tryToRead(sources, source, last, context);
    if ('reason' in reading) return failed(payload, { open, known }, reading, context);
    const changed = reading.unchanged ? undefined : reading.reading;
    const entry = entryOf(payload, open, context, {
      ending: changed === undefined ? 'unchanged' : 'scanned',
      scan: scanOf(payload),
      readAt: timeOf(context),
    });
    const update = { ...updateOf(payload, context, entry.ending), entry };
    return {
      result: { ending: entry.ending, files: reading.reading.files.length },
      next: [
        requestOf(payload, await labelsOf(target, fleet), reading.reading, context),
        ...(known?.failing === undefined
          ? []
          : [sourceResolved('restored', schedule, { target, source }, timeOf(context))]),
      ],
      watch: changed === undefined ? update : { ...update, reading: changed },
    };
  },
  async onEnd(payload, ending, { schedules }) {
    if (ending.kind !== 'failed') return;
    const { schedule, target, run, due } = payload;
    const open = await schedules.openTarget(schedule, target.id);
    if (open?.run !== run) return;
    const known = await schedules.target(schedule, target.id);
    const at = new Date().toISOString();
    await schedules.update({
      kind: 'reading',
      schedule,
      run,
      target: target.id,
      ending: 'failed',
      at,
      entry: {
        ...known,
        ...{ target, source: open.source, definition: open.definition, run, due, at, ending: 'failed' },
        failing: known?.failing ?? { since: at, code: 'failed', reason: shortened(ending.reason) },
      },
    });
  },
  log: ({ schedule, target }, { ending, files, reason }) => ({
    facts: { schedule, target: target.id, ending, lockfiles: files, reason },
    warning: ending === 'failed' ? 'the source of a target could not be read' : undefined,
  }),
  // No marker for each target and run: a late duplicate finds that its target is no longer open.
  spent: (payload) => ({ marked: [], removed: [{ job: READ_SOURCE.name, key: READ_SOURCE.key(payload) }] }),
};

type Attempt =
  | { readonly unchanged: boolean; readonly reading: SourceReading }
  | { readonly code: string; readonly reason: string };

/** Throws the error of a reading that may succeed later; errors without a code count as such. */
async function tryToRead(
  sources: Needs['sources'],
  source: TargetSource,
  last: SourceReading | undefined,
  { signal, lastAttempt, stalled }: RunContext,
): Promise<Attempt> {
  if (stalled) return { code: 'worker-died', reason: 'workers died repeatedly while they read it' };
  try {
    const read = await sources.read(source, last?.revision, signal);
    if (read !== 'unchanged') return { unchanged: false, reading: read };
    if (last === undefined) throw new RangeError('a source without a known revision cannot be unchanged');
    return { unchanged: true, reading: last };
  } catch (error) {
    signal.throwIfAborted();
    const isCoded = error instanceof CodedError;
    if (!lastAttempt && (!isCoded || error.retryable)) throw error;
    return { code: isCoded ? error.code : 'unexpected', reason: shortened(messageOf(error)) };
  }
}

/** A schedule without labels keeps those that the target has. */
async function labelsOf(
  { id, labels }: ReadSource['target'],
  fleet: Pick<Needs['fleet'], 'summary'>,
): Promise<ReadSource['target']['labels']> {
  return Object.keys(labels).length > 0 ? labels : { ...(await fleet.summary(id))?.labels };
}

/** The id of the scan that follows. */
function scanOf({ schedule, run, target }: ReadSource): string {
  return scanIdOf(target.id, `${schedule}.${run}`);
}

function requestOf(
  payload: ReadSource,
  labels: ReadSource['target']['labels'],
  { files }: SourceReading,
  context: RunContext,
): FollowUp {
  return followUp(INGEST_LOCKFILES, {
    scan: scanOf(payload),
    target: { id: payload.target.id, labels },
    lockfiles: files.map(lockfileOf),
    requestedAt: timeOf(context),
  });
}

type Lockfile = IngestLockfiles['lockfiles'][number];

/** A lockfile of a source as the job that reads it takes it. */
export function lockfileOf({ companions, ...file }: SourceFile): Lockfile {
  const own = companions === undefined ? {} : { companions: companions.map((one) => ({ ...one })) };
  return { ...file, ...own };
}

function failed(
  payload: ReadSource,
  { open, known }: { readonly open: OpenTarget; readonly known: WatchedTarget | undefined },
  { code, reason }: { readonly code: string; readonly reason: string },
  context: RunContext,
): JobRun<Result> {
  const entry = {
    ...entryOf(payload, open, context, {
      ending: 'failed',
      ...(known?.scan === undefined ? {} : { scan: known.scan }),
      ...(known?.readAt === undefined ? {} : { readAt: known.readAt }),
    }),
    failing: { since: known?.failing?.since ?? timeOf(context), code, reason },
  };
  return {
    result: { ending: 'failed', reason },
    next: [],
    watch: { ...updateOf(payload, context, 'failed'), entry },
  };
}

function entryOf(
  { target, run, due }: ReadSource,
  { source, definition }: OpenTarget,
  context: RunContext,
  facts: Pick<WatchedTarget, 'ending' | 'scan' | 'readAt'>,
): WatchedTarget {
  return { target, source, definition, run, due, at: timeOf(context), ...facts };
}

function updateOf({ schedule, run, target }: ReadSource, context: RunContext, ending: ReadingEnding) {
  const at = timeOf(context);
  return { kind: 'reading', schedule, run, target: target.id, ending, at } as const;
}

function timeOf({ startedAt }: RunContext): string {
  return new Date(startedAt).toISOString();
}

/** One line of at most 500 characters. */
export function shortened(reason: string): string {
  return reason.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_REASON_CHARACTERS);
}
