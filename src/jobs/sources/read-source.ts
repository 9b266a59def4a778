import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { lazily } from '../../model/lazily.ts';
import { scanIdOf } from '../../model/scan/scan-id.ts';
import type { ValueOf } from '../../model/stored/kind.ts';
import type { OpenTarget, ReadingEnding, WatchedTarget, WatchUpdate } from '../../model/watch/schedule.ts';
import type { SourceFile, SourceReading, SourceRevision, TargetSource } from '../../model/watch/source.ts';
import { type FollowUp, followUp, type Job, type RunContext } from '../job.ts';
import { keyHash, targetSchema, timestamp } from '../payloads/fields.ts';
import { INGEST_LOCKFILES, type IngestLockfiles } from '../payloads/ingest-lockfiles.ts';
import { scheduleName, sourceResolved } from '../payloads/sources.ts';
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

function keyOf({ schedule, run, target }: ReadSource): string {
  return `${schedule}.${run}.${keyHash(target.id, 12)}`;
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
  name: 'read-source',
  version: 1,
  schema,
  key: keyOf,
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
    const at = new Date(context.startedAt).toISOString();
    if ('reason' in reading) {
      const watch = failedUpdate(payload, { open, known }, reading, at);
      return { result: { ending: 'failed', reason: reading.reason }, next: [], watch };
    }
    const changed = reading.unchanged ? undefined : reading.reading;
    const ending = changed === undefined ? 'unchanged' : 'scanned';
    const update = updateOf(payload, open, at, { ending, scan: scanOf(payload), readAt: at });
    return {
      result: { ending, files: reading.reading.files.length },
      next: [
        requestOf(payload, await labelsOf(target, fleet), reading.reading, at),
        ...(known?.failing === undefined
          ? []
          : [sourceResolved('restored', schedule, { target, source }, at)]),
      ],
      watch: changed === undefined ? update : { ...update, reading: changed },
    };
  },
  async onEnd(payload, ending, { schedules }) {
    if (ending.kind !== 'failed') return;
    const { schedule, target, run } = payload;
    const open = await schedules.openTarget(schedule, target.id);
    if (open?.run !== run) return;
    const known = await schedules.target(schedule, target.id);
    const fault = { code: 'failed', reason: shortened(ending.reason) };
    await schedules.update(failedUpdate(payload, { open, known }, fault, new Date().toISOString()));
  },
  log: ({ schedule, target }, { ending, files, reason }) => ({
    facts: { schedule, target: target.id, ending, lockfiles: files, reason },
    warning: ending === 'failed' ? 'the source of a target could not be read' : undefined,
  }),
  // No marker for each target and run: a late duplicate finds that its target is no longer open.
  spent: (payload) => ({ marked: [], removed: [{ job: readSource.name, key: readSource.key(payload) }] }),
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
  { files, revision }: SourceReading,
  requestedAt: string,
): FollowUp {
  return followUp(INGEST_LOCKFILES, {
    scan: scanOf(payload),
    target: { id: payload.target.id, labels },
    lockfiles: files.map(lockfileOf),
    ...scannedRevision(revision),
    requestedAt,
  });
}

/** The revision of a source for the ledger. A validator that no job takes is left out. */
export function scannedRevision({
  commit,
  committedAt,
  etag = '',
}: SourceRevision = {}): Pick<IngestLockfiles, 'revision'> {
  const known = defined({ commit, committedAt, etag: ETAG.test(etag) ? etag : undefined });
  return Object.keys(known).length === 0 ? {} : { revision: known };
}

const ETAG = /^[ -~]{1,200}$/;

type Lockfile = IngestLockfiles['lockfiles'][number];

/** A lockfile of a source as the job that reads it takes it. */
export function lockfileOf({ companions, ...file }: SourceFile): Lockfile {
  const own = companions === undefined ? {} : { companions: companions.map((one) => ({ ...one })) };
  return { ...file, ...own };
}

function failedUpdate(
  payload: ReadSource,
  { open, known }: { readonly open: OpenTarget; readonly known: WatchedTarget | undefined },
  { code, reason }: { readonly code: string; readonly reason: string },
  at: string,
): WatchUpdate {
  return updateOf(payload, open, at, {
    ending: 'failed',
    ...defined({ scan: known?.scan, readAt: known?.readAt }),
    failing: { since: known?.failing?.since ?? at, code, reason },
  });
}

function updateOf(
  { schedule, run, target, due }: ReadSource,
  { source, definition }: OpenTarget,
  at: string,
  facts: Pick<WatchedTarget, 'ending' | 'scan' | 'readAt' | 'failing'>,
): Extract<WatchUpdate, { kind: 'reading' }> {
  const entry = { target, source, definition, run, due, at, ...facts };
  return { kind: 'reading', schedule, run, target: target.id, ending: facts.ending, at, entry };
}

/** One line of at most 500 characters. */
export function shortened(reason: string): string {
  return reason.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_REASON_CHARACTERS);
}
