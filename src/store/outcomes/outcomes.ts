import type {
  Claim,
  OutcomeEffects,
  Outcomes,
  RunCircumstances,
  StoredOutcome,
  TargetChange,
} from '../../model/queue/outcome.ts';
import type { TargetState } from '../../model/scan/change.ts';
import { OUTCOME, TARGET_STATE } from '../../model/stored/catalog.ts';
import type { StoredKind } from '../../model/stored/kind.ts';
import { fleetSteps } from '../fleet/fleet-steps.ts';
import { createInventories, type Inventories } from '../fleet/inventories.ts';
import { createPackageIds } from '../fleet/package-ids.ts';
import { prepareTarget } from '../fleet/target-lockfiles.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { runScript } from '../scripts/run-script.ts';
import { SAVE_OUTCOME } from '../scripts/save-outcome.lua.ts';
import { isLarge } from '../values/compression.ts';
import { checkValue, readValue, type StoredPlace, writeLargeValue } from '../values/stored-values.ts';
import type { OutcomeStep } from './outcome-step.ts';
import { outcomeSteps } from './outcome-steps.ts';
import { createRecentResults } from './recent-results.ts';

export interface OutcomeOptions {
  /** How long an outcome, or its marker, is stored. Default 14 days. */
  readonly ttlMs?: number;
  /** How long a delivered delivery is stored, in ms. Default 30 days. */
  readonly deliveredTtlMs?: number | undefined;
  /** Keeps results in memory for the jobs that follow in this process. Default false. */
  readonly keepsRecent?: boolean;
  readonly now?: () => number;
  /** Default: own ones, with their own memory of package ids. */
  readonly inventories?: Inventories;
}

const DEFAULT_TTL_MS = 14 * 24 * 3600 * 1000;

/** Reads throw `state-corrupt` or `state-newer`. */
export function createOutcomeStore(redis: RedisClient, keys: Keys, options: OutcomeOptions = {}): Outcomes {
  const { ttlMs = DEFAULT_TTL_MS, deliveredTtlMs, keepsRecent = false, now = Date.now } = options;
  const inventories = options.inventories ?? createInventories(redis, keys, createPackageIds(redis, keys));
  const unpack = async (stored: Buffer, job: string, key: string): Promise<ReadOutcome> => {
    const place = placeOf(keys.outcome(job, key));
    const large = isLarge(stored);
    if (stored.length > 0) return { ...(await readValue(OUTCOME, stored, place)), place, large };
    const spent = keys.spentOutcome(job, key);
    const value = await redis.getBuffer(spent);
    if (value === null) return { result: null, next: [], place, large };
    const outcome = await readValue(OUTCOME, value, placeOf(spent));
    return { ...outcome, place: placeOf(spent), large: isLarge(value) };
  };
  const read = async (job: string, key: string): Promise<ReadOutcome | undefined> => {
    const stored = await redis.getBuffer(keys.outcome(job, key));
    return stored === null ? undefined : await unpack(stored, job, key);
  };
  const recent = keepsRecent ? createRecentResults() : undefined;
  const remember = (name: string, run: StoredOutcome, { resultKind }: RunCircumstances, bytes: number) => {
    if (resultKind !== undefined) recent?.add(name, run.result, bytes);
  };
  return {
    async read(job, key) {
      const outcome = await read(job, key);
      return outcome === undefined ? undefined : { result: outcome.result, next: outcome.next };
    },
    async readResult<Result>(kind: StoredKind<Result>, job: string, key: string) {
      const own = recent?.take(keys.outcome(job, key));
      // This process saved it as a result of the kind of the job.
      if (own !== undefined) return own as Result;
      const outcome = await read(job, key);
      if (outcome === undefined) return undefined;
      const { result, resultVersion: version = 1, place, large } = outcome;
      if (result === null) return null;
      const unpacked = kind.form === undefined ? result : await kind.form.unpack(result);
      return await checkValue(kind, unpacked, place, { version, large });
    },
    has: async (job, key) => (await redis.exists(keys.outcome(job, key))) === 1,
    async save(job, key, run, circumstances = {}) {
      const { result, next, state } = run;
      const { resultKind } = circumstances;
      const resultVersion = resultKind?.version ?? 1;
      const change = changeIn(state);
      const target = change && (await prepareTarget(keys, inventories, change, now()));
      const conditions = [
        ...claimSteps(keys, run.fleet?.claim),
        ...(target?.newest === undefined ? [] : [knownStep(keys, target.newest)]),
        ...(target === undefined || change === undefined
          ? []
          : [await stateStep(keys, change, target.state)]),
      ];
      const steps = [
        ...conditions,
        ...(await outcomeSteps(keys, run, circumstances, { time: now(), deliveredTtlMs })),
        ...(target?.steps ?? []),
        ...fleetSteps(keys, run.fleet),
      ];
      const packed = (await packResult(resultKind, result)) ?? null;
      const written = await writeLargeValue(OUTCOME, { result: packed, resultVersion, next });
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
      if (String(status) === 'saved') {
        const bytes = Buffer.byteLength(written);
        remember(keys.outcome(job, key), run, circumstances, bytes);
        const first = Buffer.isBuffer(stored) ? { next: stored.toString('utf8') } : {};
        return { status: 'saved', bytes, ...first };
      }
      if (String(status) === 'ids-lost') inventories.forgetIds();
      if (['state-moved', 'ids-lost'].includes(String(status))) return { status: 'state-moved' };
      const { result: kept, next: follows } = await unpack(stored, job, key);
      return { status: 'already-there', outcome: { result: kept, next: follows } };
    },
  };
}

/** An outcome, and where and how large it is stored. */
interface ReadOutcome extends StoredOutcome {
  readonly place: StoredPlace;
  readonly large: boolean;
}

/** The result as it is stored, or a promise of it. */
function packResult(kind: StoredKind<unknown> | undefined, result: unknown): unknown {
  return kind?.form === undefined || result == null ? result : kind.form.pack(result);
}

function placeOf(key: string): StoredPlace {
  return { key, remedy: 'Delete the key to have the job run again.' };
}

function changeIn(state: OutcomeEffects['state']): TargetChange | undefined {
  return state !== undefined && 'replaces' in state ? state : undefined;
}

function claimSteps(keys: Keys, claim: Claim | undefined): readonly OutcomeStep[] {
  if (claim === undefined) return [];
  const { name, holder, ttlMs, replaces = '', onlyHeld } = claim;
  const values = [holder, ttlMs, replaces, onlyHeld === true ? 'held' : ''];
  return [{ name: 'CLAIM', keys: [keys.claim(name)], values }];
}

function knownStep(keys: Keys, newest: readonly [id: number, identity: string]): OutcomeStep {
  return { name: 'KNOWN', keys: [keys.packageNames], values: newest };
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
