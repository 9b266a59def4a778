import type { BegunJob, OpenJob, OpenJobs, SpentOutcomes, Turn } from '../../model/queue/open-job.ts';
import { OPEN_JOB } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { CLOSE_STEPS } from '../scripts/steps.lua.ts';
import { createHashValues } from '../values/hash-values.ts';
import { type OnUnreadable, writeLargeValue } from '../values/stored-values.ts';
import { CLAIM_STEP, REQUEST_TTL_MS } from './request-claims.ts';

/** `find` throws `state-corrupt` or `state-newer`; `list` reports such a job and leaves it out. */
export function createOpenJobStore(redis: RedisClient, keys: Keys, onUnreadable?: OnUnreadable): OpenJobs {
  const remedy = 'Delete the field to forget the job; it runs if it is still queued.';
  const jobs = createHashValues(redis, OPEN_JOB, { key: keys.openJobs, remedy, onUnreadable });
  return {
    async open(job) {
      const { id, lane } = job;
      await runScript(
        redis,
        OPEN,
        [keys.openJobs, keys.lane(lane ?? '')],
        [id, await packOpenJob(job), lane === undefined ? 0 : 1],
      );
    },
    find: jobs.find,
    async begin({ id, ownId, lane, outcome: { job, key }, claim, opens }) {
      const places = [
        keys.requestedScan(claim?.scan ?? ''),
        ...(lane === undefined ? [] : [keys.lane(lane)]),
      ];
      const answer = await runScript(
        redis,
        BEGIN,
        [keys.openJobs, keys.outcome(job, key), ...places],
        [
          id,
          ownId,
          claim?.content ?? '',
          REQUEST_TTL_MS,
          opens === undefined ? '' : await packOpenJob(opens),
        ],
      );
      const [hasOutcome, stored, first, claimed] = Array.isArray(answer) ? answer : [];
      return {
        open: Buffer.isBuffer(stored) ? await jobs.parse(id, stored) : undefined,
        hasOutcome: Number(hasOutcome) === 1,
        ...claimIn(textOf(claimed)),
        ...(lane === undefined ? {} : { turn: turnOf(ownId, textOf(first)) }),
      };
    },
    async *list() {
      for await (const [, job] of jobs.each()) yield job;
    },
    async turn({ lane, id }) {
      return turnOf(id, textOf(await runScript(redis, LOOK_UP_TURN, [keys.lane(lane), keys.openJobs], [id])));
    },
    async close(job, others = []) {
      const all = [job, ...others];
      const outcomes = all.flatMap(({ outcome }) => outcome ?? []);
      const freed = spentKeys(keys, {
        marked: all.flatMap(({ spent }) => spent?.marked ?? []),
        removed: all.flatMap(({ spent }) => spent?.removed ?? []),
      });
      const answer = await runScript(
        redis,
        CLOSE,
        [
          ...[keys.openJobs, keys.lane(job.lane ?? '')],
          ...outcomes.map(({ job: name, key }) => keys.outcome(name, key)),
          ...freed.keys,
        ],
        [
          ...[job.lane === undefined ? 0 : 1, outcomes.length, freed.marked, SPENT_TTL_MS],
          ...all.map(({ id }) => id),
        ],
      );
      const [closed, first] = Array.isArray(answer) ? answer : [];
      if (Number(closed) !== 1) return { kind: 'outcome-missing' };
      return { kind: 'closed', next: textOf(first) };
    },
  };
}

/** An open job as it is stored; one that waits for advisories may hold hundreds of thousands of their ids. */
export function packOpenJob(job: OpenJob): Promise<Buffer | string> {
  return writeLargeValue(OPEN_JOB, job);
}

/** How long the value of a marked outcome stays readable. */
export const SPENT_TTL_MS = 15 * 60 * 1000;

/** Keys of the Lua function `spend`, and the number of marked outcomes among them. */
export function spentKeys(
  keys: Keys,
  { marked, removed }: SpentOutcomes,
): { readonly keys: readonly string[]; readonly marked: number } {
  const pairs = marked.flatMap(({ job, key }) => [keys.outcome(job, key), keys.spentOutcome(job, key)]);
  return {
    keys: [...pairs, ...removed.map(({ job, key }) => keys.outcome(job, key))],
    marked: marked.length,
  };
}

function claimIn(claim: string | undefined): Pick<BegunJob, 'claim'> {
  return claim === 'taken' ? { claim } : {};
}

function turnOf(id: string, first: string | undefined): Turn {
  if (first === undefined) return { kind: 'absent' };
  return first === id ? { kind: 'first' } : { kind: 'waiting', first };
}

function textOf(answer: unknown): string | undefined {
  return Buffer.isBuffer(answer) ? answer.toString('utf8') : undefined;
}

/**
 * Opens a job and takes the last place of its lane, unless it has one.
 *
 * Keys: open jobs, lane. Arguments: job id, what is kept of it, 1 when it has a lane.
 */
const OPEN = defineScript(`
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[3] == '1' and not redis.call('LPOS', KEYS[2], ARGV[1]) then
  redis.call('RPUSH', KEYS[2], ARGV[1])
end
return 1
`);

/** Lua function `turn(lane, openJobs, id)`: the first job of a lane, while the job has a place or is open. */
const TURN = `
local function turn(lane, openJobs, id)
  local first = redis.call('LINDEX', lane, 0)
  if first == id or redis.call('HEXISTS', openJobs, id) == 1 or redis.call('LPOS', lane, id) then
    return first
  end
  return false
end`;

/** Keys: lane, open jobs. Argument: job id. */
const LOOK_UP_TURN = defineScript(`
${TURN}
return turn(KEYS[1], KEYS[2], ARGV[1])
`);

/**
 * Keys: open jobs, outcome, content of the request, and the lane of a job that has one. Arguments: id in the queue, id in the lane, hash of
 * what is requested ('' for no request), how long that is kept in ms, what is kept of the job ('' for nothing). Returns whether the outcome exists, the open job, the first job of
 * the lane, and what became of the claim.
 */
const BEGIN = defineScript(`
${TURN}
${CLAIM_STEP}
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local claimed = not stored and ARGV[3] ~= '' and claim(KEYS[3], ARGV[3], ARGV[4])
local first = KEYS[4] and turn(KEYS[4], KEYS[1], ARGV[2]) or false
local hasOutcome = redis.call('EXISTS', KEYS[2])
if not stored and hasOutcome == 0 and claimed ~= 'taken' and ARGV[5] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[5])
end
return {hasOutcome, stored, first, claimed}
`);

/**
 * Closes jobs and frees outcomes. Jobs that the caller reports as done stay open when Redis has no outcome of one of them, because
 * Redis may have lost it since it was saved.
 *
 * Keys: open jobs, lane of the first job, outcomes of jobs that are reported as done, then those of `spend`. Arguments: 1 when the first
 * job has a lane, number of those outcomes, number of marked outcomes, how long their values stay in ms, then the ids of the jobs.
 * Returns whether they were closed, and the first job of the lane now.
 */
const CLOSE = defineScript(`
${CLOSE_STEPS}
local outcomes = tonumber(ARGV[2])
for at = 3, 2 + outcomes do
  if redis.call('EXISTS', KEYS[at]) == 0 then
    return {0}
  end
end
local first = close(KEYS[1], ARGV[1] == '1' and KEYS[2], ARGV[5])
for at = 6, #ARGV do
  close(KEYS[1], false, ARGV[at])
end
spend(KEYS, 3 + outcomes, tonumber(ARGV[3]), ARGV[4])
return {1, first}
`);
