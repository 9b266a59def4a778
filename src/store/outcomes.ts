import type { TargetState } from '../model/change.ts';
import type { DigestEntry } from '../model/digest.ts';
import { messageOf } from '../model/errors.ts';
import type { OpenJob } from '../model/open-job.ts';
import { packJson, unpackJson } from './compression.ts';
import type { RedisClient } from './connection.ts';
import { StoreError } from './errors.ts';
import type { Keys } from './keys.ts';
import { packOpenJob } from './open-jobs.ts';
import { runScript } from './scripts/run-script.ts';
import { SAVE_OUTCOME } from './scripts/save-outcome.lua.ts';

/** What a job came to, and what follows from it. */
export interface StoredOutcome<Next> {
  readonly result: unknown;
  readonly next: readonly Next[];
}

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

export type SaveAnswer<Next> =
  | { readonly status: 'saved' }
  | { readonly status: 'already-there'; readonly outcome: StoredOutcome<Next> }
  | { readonly status: 'state-moved' };

/** Outcomes of jobs: the first one saved under a job and key stays, and only that one opens what follows from it. */
export interface OutcomeStore<Next> {
  read(job: string, key: string): Promise<StoredOutcome<Next> | undefined>;
  has(job: string, key: string): Promise<boolean>;
  save(
    job: string,
    key: string,
    outcome: StoredOutcome<Next>,
    change?: TargetChange | DigestTaking,
    follows?: readonly OpenJob[],
  ): Promise<SaveAnswer<Next>>;
}

const DEFAULT_TTL_MS = 14 * 24 * 3600 * 1000;

/** `Next` is what the jobs' follow-ups look like: they are kept as JSON and handed back as they came. */
export function createOutcomeStore<Next>(
  redis: RedisClient,
  keys: Keys,
  options: { readonly ttlMs?: number } = {},
): OutcomeStore<Next> {
  const ttlMs = options.ttlMs ?? DEFAULT_TTL_MS;
  return {
    async read(job, key) {
      const stored = await redis.getBuffer(keys.outcome(job, key));
      return stored === null ? undefined : unpackOutcome<Next>(stored, job, key);
    },
    has: async (job, key) => (await redis.exists(keys.outcome(job, key))) === 1,
    async save(job, key, outcome, change, follows = []) {
      const lanes = [...new Set(follows.flatMap(({ lane }) => lane ?? []))];
      const targetChange = change !== undefined && 'replaces' in change ? change : undefined;
      const digests = await digestSteps(keys, change);
      const value = await packJson({ result: outcome.result ?? null, next: outcome.next });
      const answer = await runScript(
        redis,
        SAVE_OUTCOME,
        [
          keys.outcome(job, key),
          keys.target(targetChange?.target ?? ''),
          keys.targets,
          keys.openJobs,
          ...lanes.map((lane) => keys.lane(lane)),
          ...digests.map(({ key }) => key),
        ],
        [
          ...[value, ttlMs, ...(await changeArguments(targetChange))],
          ...[lanes.length, follows.length, ...(await openArguments(follows, lanes))],
          ...digests.flatMap(({ step }) => step),
        ],
      );
      return readAnswer<Next>(answer, job, key);
    },
  };
}

interface DigestStep {
  readonly key: string;
  readonly step: readonly [command: 'HSET' | 'HDEL' | 'SADD' | 'SREM', field: string, value: string | Buffer];
}

/** What happens to waiting digests, and to the set of incompletely scanned targets, together with the outcome. */
async function digestSteps(
  keys: Keys,
  change: TargetChange | DigestTaking | undefined,
): Promise<readonly DigestStep[]> {
  if (change === undefined) return [];
  if ('taken' in change) {
    const key = keys.digest(change.route);
    return change.taken.map((scan) => ({ key, step: ['HDEL', scan, ''] }));
  }
  const additions = (change.digests ?? []).map(
    async ({ route, entry }): Promise<readonly DigestStep[]> => [
      { key: keys.digest(route), step: ['HSET', entry.scan, await packJson(entry)] },
      { key: keys.digestRoutes, step: ['SADD', route, ''] },
    ],
  );
  const mark = change.state.incomplete === true ? 'SADD' : 'SREM';
  return [
    { key: keys.incompleteTargets, step: [mark, change.target, ''] },
    ...(await Promise.all(additions)).flat(),
  ];
}

/** For each job that follows: id, what is kept of it, and the number of its lane (0 without). */
async function openArguments(
  follows: readonly OpenJob[],
  lanes: readonly string[],
): Promise<readonly (string | number | Buffer)[]> {
  const numbers = new Map(lanes.map((lane, index) => [lane, index + 1]));
  const packed = await Promise.all(follows.map((job) => packOpenJob(job)));
  return follows.flatMap(({ id, lane }, index) => [
    id,
    packed[index] ?? '',
    lane === undefined ? 0 : (numbers.get(lane) ?? 0),
  ]);
}

async function changeArguments(change: TargetChange | undefined): Promise<readonly (string | Buffer)[]> {
  if (change === undefined) return ['', '', '', ''];
  return [
    change.target,
    String(change.replaces),
    String(change.state.revision),
    await packJson(change.state),
  ];
}

async function readAnswer<Next>(answer: unknown, job: string, key: string): Promise<SaveAnswer<Next>> {
  const [status, stored] = Array.isArray(answer) ? answer : [];
  switch (String(status)) {
    case 'saved':
      return { status: 'saved' };
    case 'state-moved':
      return { status: 'state-moved' };
    default:
      return { status: 'already-there', outcome: await unpackOutcome<Next>(stored, job, key) };
  }
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
