import type {
  Claim,
  OutcomeEffects,
  Outcomes,
  PrecedingRun,
  RunCircumstances,
  StoredOutcome,
  TargetChange,
  WantedJob,
} from '../../model/queue/outcome.ts';
import type { TargetState } from '../../model/scan/change.ts';
import { OUTCOME, TARGET_STATE } from '../../model/stored/catalog.ts';
import type { StoredKind } from '../../model/stored/kind.ts';
import { fleetSteps } from '../fleet/fleet-steps.ts';
import { createInventories, type Inventories } from '../fleet/inventories.ts';
import { createLedgerWriter, type LedgerOptions } from '../fleet/ledger-writer.ts';
import { createPackageIds } from '../fleet/package-ids.ts';
import { prepareTarget, type TargetWrite } from '../fleet/target-lockfiles.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { runScript } from '../scripts/run-script.ts';
import type { OutcomeStep } from '../scripts/save-outcome.lua.ts';
import { SAVE_OUTCOME } from '../scripts/save-outcome.lua.ts';
import { checkValue, readValue, type StoredPlace, writeLargeValue } from '../values/stored-values.ts';
import { type OutcomeTimes, outcomeSteps, takeSteps } from './outcome-steps.ts';

export interface OutcomeOptions extends LedgerOptions {
  /** How long an outcome, or its marker, is stored. Default 14 days. */
  readonly ttlMs?: number;
  /** How long a delivered delivery is stored, in ms. Default 30 days. */
  readonly deliveredTtlMs?: number | undefined;
  readonly now?: () => number;
  /** Default: own ones, with their own memory of package ids. */
  readonly inventories?: Inventories;
}

const DEFAULT_TTL_MS = 14 * 24 * 3600 * 1000;

/** Reads throw `state-corrupt` or `state-newer`. */
export function createOutcomeStore(redis: RedisClient, keys: Keys, options: OutcomeOptions = {}): Outcomes {
  const { ttlMs = DEFAULT_TTL_MS, deliveredTtlMs, now = Date.now } = options;
  const inventories = options.inventories ?? createInventories(redis, keys, createPackageIds(redis, keys));
  const ledger = createLedgerWriter(redis, keys, inventories, options);
  const unpack = async (stored: Buffer, job: string, key: string): Promise<ReadOutcome> => {
    const place = placeOf(keys.outcome(job, key));
    if (stored.length > 0) return { ...(await readValue(OUTCOME, stored, place)), place };
    const spent = keys.spentOutcome(job, key);
    const value = await redis.getBuffer(spent);
    if (value === null) return { result: null, next: [], place };
    const outcome = await readValue(OUTCOME, value, placeOf(spent));
    return { ...outcome, place: placeOf(spent) };
  };
  const read = async (job: string, key: string): Promise<ReadOutcome | undefined> => {
    const stored = await redis.getBuffer(keys.outcome(job, key));
    return stored === null ? undefined : await unpack(stored, job, key);
  };
  return {
    async read(job, key) {
      const outcome = await read(job, key);
      return outcome === undefined ? undefined : { result: outcome.result, next: outcome.next };
    },
    async readResult<Result>(kind: StoredKind<Result>, job: string, key: string) {
      const outcome = await read(job, key);
      if (outcome === undefined) return undefined;
      const { result, resultVersion: version = 1, place } = outcome;
      if (result === null) return null;
      return await checkValue(kind, result, place, version);
    },
    has: async (job, key) => (await redis.exists(keys.outcome(job, key))) === 1,
    async save(job, key, run, circumstances = {}) {
      const { after } = circumstances;
      const change = changeIn(run.state);
      const target = change && (await prepareTarget(keys, inventories, change, { time: now(), ledger }));
      const times = { time: now(), deliveredTtlMs };
      const conditions = [
        ...wantedSteps(keys, circumstances.wanted),
        ...filedSteps(keys, run.delivered),
        ...(after === undefined ? [] : [await afterStep(keys, after, ttlMs)]),
        ...claimSteps(keys, run.fleet?.claim),
        ...takeSteps(keys, run.state),
        ...(change === undefined || target === undefined ? [] : await targetSteps(keys, change, target)),
      ];
      const steps = [
        ...conditions,
        ...(after === undefined ? [] : await precedingSteps(keys, after, circumstances, times)),
        ...(await outcomeSteps(keys, run, circumstances, times)),
        ...(target?.steps ?? []),
        ...fleetSteps(keys, run.fleet),
      ];
      const written = await writeOutcome(run, circumstances);
      const answer = await runScript(
        redis,
        SAVE_OUTCOME,
        [keys.outcome(job, key), ...steps.flatMap((step) => step.keys)],
        [
          ...[written, ttlMs, conditions.length],
          ...steps.flatMap((step) => [step.name, step.keys.length, step.values.length, ...step.values]),
        ],
      );
      const [status, stored] = Array.isArray(answer) ? answer : [];
      switch (String(status)) {
        case 'saved':
          return { status: 'saved', ...(Buffer.isBuffer(stored) ? { next: stored.toString('utf8') } : {}) };
        case 'already-there': {
          const { result, next } = await unpack(stored, job, key);
          return { status: 'already-there', outcome: { result, next } };
        }
        case 'not-wanted':
          return { status: 'not-wanted' };
        case 'ids-lost':
          inventories.forgetIds();
      }
      return { status: 'state-moved' };
    },
  };
}

interface ReadOutcome extends StoredOutcome {
  readonly place: StoredPlace;
}

async function writeOutcome(
  { result, next }: StoredOutcome,
  { resultKind: kind }: RunCircumstances,
): Promise<Buffer | string> {
  return await writeLargeValue(OUTCOME, {
    result: result ?? null,
    resultVersion: kind?.version ?? 1,
    next,
  });
}

/** The outcome of a job whose follow-up ran directly after it: saved with that of the follow-up. */
async function afterStep(
  keys: Keys,
  { job, key, run, circumstances }: PrecedingRun,
  ttlMs: number,
): Promise<OutcomeStep> {
  const written = await writeOutcome(run, circumstances);
  return { name: 'AFTER', keys: [keys.outcome(job, key)], values: [written, ttlMs] };
}

/** The effects of that job. It is closed with its follow-up; one that is not closed here has to be found when a worker dies. */
async function precedingSteps(
  keys: Keys,
  { run, circumstances }: PrecedingRun,
  { ends: closed }: RunCircumstances,
  times: OutcomeTimes,
): Promise<readonly OutcomeStep[]> {
  const { follows = [], ends } = circumstances;
  const own = closed === undefined ? { ends: undefined, follows } : { ends, follows: [] };
  return await outcomeSteps(keys, run, { ...circumstances, ...own }, times);
}

function placeOf(key: string): StoredPlace {
  return { key, remedy: 'Delete the key to have the job run again.' };
}

function changeIn(state: OutcomeEffects['state']): TargetChange | undefined {
  return state !== undefined && 'replaces' in state ? state : undefined;
}

function wantedSteps(keys: Keys, wanted: WantedJob | undefined): readonly OutcomeStep[] {
  if (wanted === undefined) return [];
  const { queue, id, isOpen } = wanted;
  const queued = isOpen ? [] : [`${keys.prefix}:${queue}:${id}`];
  return [{ name: 'WANTED', keys: [keys.openJobs, ...queued], values: [id] }];
}

function filedSteps(keys: Keys, delivered: OutcomeEffects['delivered']): readonly OutcomeStep[] {
  return delivered === undefined
    ? []
    : [{ name: 'FILED', keys: [keys.deliveryNotification(delivered.id)], values: [] }];
}

function claimSteps(keys: Keys, claim: Claim | undefined): readonly OutcomeStep[] {
  if (claim === undefined) return [];
  const { name, holder, ttlMs, replaces = '', onlyHeld } = claim;
  const values = [holder, ttlMs, replaces, onlyHeld === true ? 'held' : ''];
  return [{ name: 'CLAIM', keys: [keys.claim(name)], values }];
}

async function targetSteps(
  keys: Keys,
  change: TargetChange,
  { state, newest }: TargetWrite,
): Promise<readonly OutcomeStep[]> {
  const known = { name: 'KNOWN', keys: [keys.packageNames], values: newest ?? [] };
  return [...(newest === undefined ? [] : [known]), await stateStep(keys, change, state)];
}

async function stateStep(
  keys: Keys,
  { target, replaces }: TargetChange,
  state: TargetState,
): Promise<OutcomeStep> {
  return {
    name: 'STATE',
    keys: [keys.target(target), keys.targets],
    values: [target, String(replaces), String(state.revision), await writeLargeValue(TARGET_STATE, state)],
  };
}
