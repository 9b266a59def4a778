import { chunks } from '../model/chunks.ts';
import type { OpenJob } from '../model/queue/open-job.ts';
import type { DigestClaim, OutcomeEffects, RunCircumstances, TargetChange } from '../model/queue/outcome.ts';
import { DIGEST_ENTRY } from '../model/stored/catalog.ts';
import { fileArguments } from './deliveries.ts';
import type { Keys } from './keys.ts';
import { packOpenJob } from './open-jobs.ts';
import { noteArguments } from './scans.ts';
import { writeValue } from './values/stored-values.ts';

/** A step of `SAVE_OUTCOME`. */
export interface OutcomeStep {
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly (string | number | Buffer)[];
}

/** Members in one command: Lua passes a few thousand arguments at most. */
const CHUNK = 1_000;

/** What `SAVE_OUTCOME` does in addition to saving the outcome and the target's state. `time`: ms since 1970. */
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

/** Changes to waiting digests and to the set of targets whose scan is incomplete. */
async function digestSteps(
  keys: Keys,
  state: TargetChange | DigestClaim | undefined,
): Promise<readonly OutcomeStep[]> {
  if (state === undefined) return [];
  if ('taken' in state) {
    return chunks(state.taken, CHUNK).map((scans) => ({
      name: 'HDEL',
      keys: [keys.digest(state.route)],
      values: scans,
    }));
  }
  const additions = (state.digests ?? []).map(
    async ({ route, entry }): Promise<readonly OutcomeStep[]> => [
      {
        name: 'HSET',
        keys: [keys.digest(route)],
        values: [entry.scan, await writeValue(DIGEST_ENTRY, entry)],
      },
      { name: 'SADD', keys: [keys.digestRoutes], values: [route] },
    ],
  );
  const mark = state.state.incomplete === true ? 'SADD' : 'SREM';
  return [
    { name: mark, keys: [keys.incompleteTargets], values: [state.target] },
    ...(await Promise.all(additions)).flat(),
  ];
}
