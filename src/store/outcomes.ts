import { chunks } from '../model/chunks.ts';
import type { Outcomes, StoredOutcome, TargetChange } from '../model/queue/outcome.ts';
import { OUTCOME, TARGET_STATE } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import { outcomeSteps } from './outcome-steps.ts';
import type { RedisClient } from './redis/connection.ts';
import { runScript } from './scripts/run-script.ts';
import { MARK_OUTCOMES, SAVE_OUTCOME } from './scripts/save-outcome.lua.ts';
import { isLarge } from './values/compression.ts';
import { checkValue, readValue, type StoredPlace, writeLargeValue } from './values/stored-values.ts';

export interface OutcomeOptions {
  /** How long an outcome, or its marker, is stored. Default 14 days. */
  readonly ttlMs?: number;
  /** How long the value of a marked outcome stays readable. Default 15 minutes. */
  readonly spentTtlMs?: number;
  readonly now?: () => number;
}

const DEFAULT_TTL_MS = 14 * 24 * 3600 * 1000;
const DEFAULT_SPENT_TTL_MS = 15 * 60 * 1000;
/** Keys in one command. */
const CHUNK = 500;

/** Reads throw `state-corrupt` or `state-newer`. */
export function createOutcomeStore(redis: RedisClient, keys: Keys, options: OutcomeOptions = {}): Outcomes {
  const { ttlMs = DEFAULT_TTL_MS, spentTtlMs = DEFAULT_SPENT_TTL_MS, now = Date.now } = options;
  const unpack = async (stored: Buffer, job: string, key: string): Promise<ReadOutcome> => {
    const place = placeOf(keys.outcome(job, key));
    const large = isLarge(stored);
    if (stored.length > 0) return { ...(await readValue(OUTCOME, stored, place)), place, large };
    const spent = keys.spentOutcome(job, key);
    const value = await redis.getBuffer(spent);
    if (value === null) return { result: null, next: [], place, large };
    const outcome = await readValue(OUTCOME, value, placeOf(spent));
    return { ...outcome, next: [], place: placeOf(spent), large: isLarge(value) };
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
    async readResult(kind, job, key) {
      const outcome = await read(job, key);
      if (outcome === undefined) return undefined;
      const { result, resultVersion: version = 1, place, large } = outcome;
      return result === null ? null : await checkValue(kind, result, place, { version, large });
    },
    has: async (job, key) => (await redis.exists(keys.outcome(job, key))) === 1,
    async save(job, key, run, circumstances = {}) {
      const { result, next, state } = run;
      const { resultVersion = 1 } = circumstances;
      const steps = await outcomeSteps(keys, run, circumstances, now());
      const change = state !== undefined && 'replaces' in state ? state : undefined;
      const answer = await runScript(
        redis,
        SAVE_OUTCOME,
        [
          ...[keys.outcome(job, key), keys.target(change?.target ?? ''), keys.targets],
          ...steps.flatMap((step) => step.keys),
        ],
        [
          await writeLargeValue(OUTCOME, { result: result ?? null, resultVersion, next }),
          ttlMs,
          ...(await changeArguments(change)),
          ...steps.flatMap((step) => [step.name, step.keys.length, step.values.length, ...step.values]),
        ],
      );
      const [status, stored] = Array.isArray(answer) ? answer : [];
      if (String(status) === 'saved') return { status: 'saved' };
      if (String(status) === 'state-moved') return { status: 'state-moved' };
      const { result: kept, next: follows } = await unpack(stored, job, key);
      return { status: 'already-there', outcome: { result: kept, next: follows } };
    },
    async spend({ marked, removed }) {
      const names = removed.map(({ job, key }) => keys.outcome(job, key));
      for (const part of chunks(names, CHUNK)) {
        await redis.unlink(...part);
      }
      const pairs = marked.map(({ job, key }) => [keys.outcome(job, key), keys.spentOutcome(job, key)]);
      for (const part of chunks(pairs, CHUNK))
        await runScript(redis, MARK_OUTCOMES, part.flat(), [spentTtlMs]);
    },
  };
}

/** An outcome, and where and how large it is stored. */
interface ReadOutcome extends StoredOutcome {
  readonly place: StoredPlace;
  readonly large: boolean;
}

function placeOf(key: string): StoredPlace {
  return { key, remedy: 'Delete the key to have the job run again.' };
}

async function changeArguments(change: TargetChange | undefined): Promise<readonly (string | Buffer)[]> {
  if (change === undefined) return ['', '', '', ''];
  return [
    change.target,
    String(change.replaces),
    String(change.state.revision),
    await writeLargeValue(TARGET_STATE, change.state),
  ];
}
