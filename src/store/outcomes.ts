import { messageOf } from '../model/errors.ts';
import { packLargeJson, unpackJson } from './compression.ts';
import type { RedisClient } from './connection.ts';
import { StoreError } from './errors.ts';
import type { Keys } from './keys.ts';
import {
  type OutcomeEffects,
  outcomeSteps,
  type RunCircumstances,
  type TargetChange,
} from './outcome-steps.ts';
import { runScript } from './scripts/run-script.ts';
import { MARK_OUTCOMES, SAVE_OUTCOME } from './scripts/save-outcome.lua.ts';

/** The result of a job, and what follows from it. */
export interface StoredOutcome<Next> {
  /** `null` once it is spent and its time is over. */
  readonly result: unknown;
  /** Empty once the outcome is spent: what follows is done. */
  readonly next: readonly Next[];
}

/** A job's run, as it is saved: its outcome and everything that happens together with it. */
export interface SavedRun<Next> extends StoredOutcome<Next>, OutcomeEffects {}

export type SaveAnswer<Next> =
  | { readonly status: 'saved' }
  | { readonly status: 'already-there'; readonly outcome: StoredOutcome<Next> }
  | { readonly status: 'state-moved' };

export interface OutcomeName {
  readonly job: string;
  readonly key: string;
}

/** Outcomes that are not read any more. */
export interface SpentOutcomes {
  /** A marker stays, so that the job does not run again. */
  readonly marked: readonly OutcomeName[];
  /** Nothing stays: their jobs are only ever made by one that is marked. */
  readonly removed: readonly OutcomeName[];
}

/** Outcomes of jobs: the first one saved under a job and key stays, and only that one has effects. */
export interface OutcomeStore<Next> {
  read(job: string, key: string): Promise<StoredOutcome<Next> | undefined>;
  /** Whether there is one, without reading it. */
  has(job: string, key: string): Promise<boolean>;
  save(
    job: string,
    key: string,
    run: SavedRun<Next>,
    circumstances?: RunCircumstances,
  ): Promise<SaveAnswer<Next>>;
  /** Frees the memory of outcomes. May be repeated. */
  spend(spent: SpentOutcomes): Promise<void>;
}

export interface OutcomeOptions {
  /** How long an outcome, or its marker, is kept. Default 14 days. */
  readonly ttlMs?: number;
  /** How long the value of a marked outcome stays readable. Default 15 minutes. */
  readonly spentTtlMs?: number;
  readonly now?: () => number;
}

const DEFAULT_TTL_MS = 14 * 24 * 3600 * 1000;
const DEFAULT_SPENT_TTL_MS = 15 * 60 * 1000;
/** Keys in one command. */
const CHUNK = 500;

/** `Next` is what the jobs' follow-ups look like: they are kept as JSON and handed back as they came. */
export function createOutcomeStore<Next>(
  redis: RedisClient,
  keys: Keys,
  options: OutcomeOptions = {},
): OutcomeStore<Next> {
  const { ttlMs = DEFAULT_TTL_MS, spentTtlMs = DEFAULT_SPENT_TTL_MS, now = Date.now } = options;
  const unpack = async (stored: Buffer, job: string, key: string): Promise<StoredOutcome<Next>> => {
    if (stored.length > 0) return await unpackOutcome<Next>(stored, job, key);
    const value = await redis.getBuffer(keys.spentOutcome(job, key));
    const { result } = value === null ? { result: null } : await unpackOutcome<Next>(value, job, key);
    return { result, next: [] };
  };
  return {
    async read(job, key) {
      const stored = await redis.getBuffer(keys.outcome(job, key));
      return stored === null ? undefined : await unpack(stored, job, key);
    },
    has: async (job, key) => (await redis.exists(keys.outcome(job, key))) === 1,
    async save(job, key, run, circumstances = {}) {
      const { result, next, state } = run;
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
          ...[
            await packLargeJson({ result: result ?? null, next }),
            ttlMs,
            ...(await changeArguments(change)),
          ],
          ...steps.flatMap((step) => [step.name, step.keys.length, step.values.length, ...step.values]),
        ],
      );
      const [status, stored] = Array.isArray(answer) ? answer : [];
      if (String(status) === 'saved') return { status: 'saved' };
      if (String(status) === 'state-moved') return { status: 'state-moved' };
      return { status: 'already-there', outcome: await unpack(stored, job, key) };
    },
    async spend({ marked, removed }) {
      for (const part of chunks(removed.map(({ job, key }) => keys.outcome(job, key)))) {
        await redis.unlink(...part);
      }
      const pairs = marked.map(({ job, key }) => [keys.outcome(job, key), keys.spentOutcome(job, key)]);
      for (const part of chunks(pairs)) await runScript(redis, MARK_OUTCOMES, part.flat(), [spentTtlMs]);
    },
  };
}

async function changeArguments(change: TargetChange | undefined): Promise<readonly (string | Buffer)[]> {
  if (change === undefined) return ['', '', '', ''];
  return [
    change.target,
    String(change.replaces),
    String(change.state.revision),
    await packLargeJson(change.state),
  ];
}

async function unpackOutcome<Next>(stored: unknown, job: string, key: string): Promise<StoredOutcome<Next>> {
  try {
    if (!Buffer.isBuffer(stored)) throw new TypeError('no bytes');
    return (await unpackJson(stored)) as StoredOutcome<Next>;
  } catch (error) {
    throw new StoreError(
      'state-corrupt',
      `The saved outcome of ${job} "${key}" cannot be read (${messageOf(error)}). Delete its key to have the job run again.`,
      { cause: error },
    );
  }
}

function chunks<T>(list: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / CHUNK) }, (_, index) =>
    list.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}
