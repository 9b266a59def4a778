import type { FiledDelivery } from '../../model/alert/delivery.ts';
import type { EndedJob, OpenJob } from '../../model/queue/open-job.ts';
import type { OutcomeEffects, RunCircumstances, TargetChange } from '../../model/queue/outcome.ts';
import { DIGEST_ENTRY } from '../../model/stored/catalog.ts';
import { chunks } from '../../model/yielding.ts';
import { fileArguments, moveArguments } from '../alerts/deliveries.ts';
import { deliveredStep } from '../fleet/ledger-writer.ts';
import type { Keys } from '../keys.ts';
import { noteArguments } from '../scans.ts';
import type { OutcomeStep } from '../scripts/save-outcome.lua.ts';
import { writeValue } from '../values/stored-values.ts';
import { packOpenJob, SPENT_TTL_MS, spentKeys } from './open-jobs.ts';
import { watchSteps } from './watch-steps.ts';

/** Members in one command: Lua passes a few thousand arguments at most. */
const CHUNK = 1_000;

export interface OutcomeTimes {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly deliveredTtlMs: number | undefined;
}

/** Returns the keys and arguments for what `SAVE_OUTCOME` does in addition to saving the outcome and the target's state. */
export async function outcomeSteps(
  keys: Keys,
  effects: OutcomeEffects,
  { follows = [], startedAt, ends }: RunCircumstances,
  { time, deliveredTtlMs }: OutcomeTimes,
): Promise<readonly OutcomeStep[]> {
  const { deliveries = [], delivered, record, watch } = effects;
  const filed =
    deliveries.length === 0
      ? []
      : await Promise.all(deliveries.map((delivery) => fileStep(keys, delivery, follows, time)));
  return [
    ...(follows.length === 0 ? [] : await openSteps(keys, follows)),
    ...(effects.state === undefined || 'taken' in effects.state
      ? []
      : await digestSteps(keys, effects.state)),
    ...filed,
    ...(record === undefined ? [] : [{ name: 'NOTE', ...noteArguments(keys, record, { time, startedAt }) }]),
    ...(watch === undefined ? [] : await watchSteps(keys, watch)),
    ...(delivered === undefined
      ? []
      : [
          {
            name: 'MOVE',
            ...moveArguments(keys, delivered, { state: 'delivered' }, { time, retentionMs: deliveredTtlMs }),
          },
          await deliveredStep(keys, delivered, time),
        ]),
    ...(ends === undefined ? [] : endSteps(keys, ends)),
  ];
}

async function fileStep(
  keys: Keys,
  delivery: FiledDelivery,
  follows: readonly OpenJob[],
  time: number,
): Promise<OutcomeStep> {
  const { keys: own, values } = await fileArguments(keys, delivery, time);
  const outcomes = follows.flatMap(({ job, data: { key } }) =>
    key === delivery.identity.key ? [keys.outcome(job, key)] : [],
  );
  return { name: 'FILE', keys: [...own, ...outcomes], values };
}

/** Closes a job and frees outcomes. */
function endSteps(keys: Keys, { id, lane, spent }: EndedJob): readonly OutcomeStep[] {
  const lanes = lane === undefined ? [] : [keys.lane(lane)];
  const close = { name: 'CLOSE', keys: [keys.openJobs, ...lanes], values: [id] };
  if (spent === undefined) return [close];
  const parts = [
    { marked: spent.marked, removed: [] },
    ...chunks(spent.removed, CHUNK).map((part) => ({ marked: [], removed: part })),
  ];
  const frees = parts.map((part) => {
    const freed = spentKeys(keys, part);
    return { name: 'SPEND', keys: freed.keys, values: [freed.marked, SPENT_TTL_MS] };
  });
  return [close, ...frees];
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

/** The waiting changes that a digest takes. Two jobs may gather those of a route at the same time. */
export function takeSteps(keys: Keys, state: OutcomeEffects['state']): readonly OutcomeStep[] {
  if (state === undefined || !('taken' in state)) return [];
  const { route, taken } = state;
  return chunks(taken, CHUNK).map((values) => ({ name: 'TAKE', keys: [keys.digest(route)], values }));
}

/** Changes to waiting digests and to the sets of targets: with an incomplete scan, when each changed, judged again later. */
async function digestSteps(keys: Keys, state: TargetChange): Promise<readonly OutcomeStep[]> {
  const { incomplete, dueAt, revision } = state.state;
  const additions = (state.digests ?? []).map(
    async ({ route, entry }): Promise<readonly OutcomeStep[]> => [
      {
        name: 'HSET',
        keys: [keys.digest(route)],
        values: [entry.scan, await writeValue(DIGEST_ENTRY, { ...entry, revision })],
      },
      { name: 'SADD', keys: [keys.digestRoutes], values: [route] },
    ],
  );
  const mark = incomplete === true ? 'SADD' : 'SREM';
  return [
    { name: mark, keys: [keys.incompleteTargets], values: [state.target] },
    { name: 'TOUCH', keys: [keys.touchedTargets], values: [state.target] },
    dueAt === undefined
      ? { name: 'ZREM', keys: [keys.dueTargets], values: [state.target] }
      : { name: 'ZADD', keys: [keys.dueTargets], values: [Date.parse(dueAt), state.target] },
    ...(await Promise.all(additions)).flat(),
  ];
}
