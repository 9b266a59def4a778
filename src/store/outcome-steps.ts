import type { FiledDelivery } from '../model/alert/delivery.ts';
import type { DigestEntry } from '../model/alert/digest.ts';
import type { OpenJob } from '../model/queue/open-job.ts';
import type { TargetState } from '../model/scan/change.ts';
import type { ScanRecordUpdate } from '../model/scan/scan-record.ts';
import { packJson } from './compression.ts';
import { fileArguments } from './deliveries.ts';
import type { Keys } from './keys.ts';
import { packOpenJob } from './open-jobs.ts';
import { noteArguments } from './scans.ts';

/** A target's new state, saved together with the outcome or not at all. */
export interface TargetChange {
  readonly target: string;
  /** The revision it replaces; 0 when the target is new. */
  readonly replaces: number;
  readonly state: TargetState;
  /** What waits for periodic digests from now on. */
  readonly digests?: readonly { readonly route: string; readonly entry: DigestEntry }[];
}

/** Entries that a digest took: gone as soon as it is saved. */
export interface DigestTaking {
  readonly route: string;
  /** Scans of the entries. */
  readonly taken: readonly string[];
}

/** What is saved together with an outcome. */
export interface OutcomeEffects {
  readonly state?: TargetChange | DigestTaking;
  readonly deliveries?: readonly FiledDelivery[];
  readonly record?: ScanRecordUpdate;
}

/** Circumstances of a run. */
export interface RunCircumstances {
  /** The jobs that follow: open from now on. */
  readonly follows?: readonly OpenJob[];
  /** When the run began; ms since 1970. */
  readonly startedAt?: number;
}

/** A step of `SAVE_OUTCOME`. */
export interface OutcomeStep {
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly (string | number | Buffer)[];
}

/** Members that one command takes at most: Lua hands on no more than some thousand arguments. */
const CHUNK = 1_000;

/** Everything that `SAVE_OUTCOME` does beside the outcome and the target's state. `time`: ms since 1970. */
export async function outcomeSteps(
  keys: Keys,
  effects: OutcomeEffects,
  { follows = [], startedAt }: RunCircumstances,
  time: number,
): Promise<readonly OutcomeStep[]> {
  const { deliveries = [], record } = effects;
  const filed = await Promise.all(deliveries.map((delivery) => fileArguments(keys, delivery, time)));
  return [
    ...(await openSteps(keys, follows)),
    ...(await digestSteps(keys, effects.state)),
    ...filed.map((step) => ({ name: 'FILE', ...step })),
    ...(record === undefined ? [] : [{ name: 'NOTE', ...noteArguments(keys, record, { time, startedAt }) }]),
  ];
}

async function openSteps(keys: Keys, follows: readonly OpenJob[]): Promise<readonly OutcomeStep[]> {
  return await Promise.all(
    follows.map(async (job) => ({
      name: 'OPEN',
      keys: [keys.openJobs, ...(job.lane === undefined ? [] : [keys.lane(job.lane)])],
      values: [job.id, await packOpenJob(job)],
    })),
  );
}

/** What happens to waiting digests and to the set of incompletely scanned targets. */
async function digestSteps(
  keys: Keys,
  state: TargetChange | DigestTaking | undefined,
): Promise<readonly OutcomeStep[]> {
  if (state === undefined) return [];
  if ('taken' in state) {
    return chunks(state.taken).map((scans) => ({
      name: 'HDEL',
      keys: [keys.digest(state.route)],
      values: scans,
    }));
  }
  const additions = (state.digests ?? []).map(
    async ({ route, entry }): Promise<readonly OutcomeStep[]> => [
      { name: 'HSET', keys: [keys.digest(route)], values: [entry.scan, await packJson(entry)] },
      { name: 'SADD', keys: [keys.digestRoutes], values: [route] },
    ],
  );
  const mark = state.state.incomplete === true ? 'SADD' : 'SREM';
  return [
    { name: mark, keys: [keys.incompleteTargets], values: [state.target] },
    ...(await Promise.all(additions)).flat(),
  ];
}

function chunks<T>(list: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / CHUNK) }, (_, index) =>
    list.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}
