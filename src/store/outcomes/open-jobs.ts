import type { OpenJob, OpenJobs, Turn } from '../../model/queue/open-job.ts';
import { OPEN_JOB } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { CLOSE_STEPS } from '../scripts/steps.lua.ts';
import { type OnUnreadable, readValue, reportTo, writeLargeValue } from '../values/stored-values.ts';
import { SPENT_TTL_MS, spentKeys } from './spent-outcomes.ts';

/** Jobs in one command while all are listed. */
const CHUNK = 200;

/** `find` throws `state-corrupt` or `state-newer`; `list` reports such a job and leaves it out. */
export function createOpenJobStore(
  redis: RedisClient,
  keys: Keys,
  onUnreadable: OnUnreadable = () => {},
): OpenJobs {
  const read = (id: string, stored: Buffer): Promise<OpenJob> => {
    const remedy = 'Delete the field to forget the job; it runs if it is still queued.';
    return readValue(OPEN_JOB, stored, { key: keys.openJobs, field: id, remedy });
  };
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
    async find(id) {
      const stored = await redis.hgetBuffer(keys.openJobs, id);
      return stored === null ? undefined : await read(id, stored);
    },
    async begin({ id, ownId, lane, outcome: { job, key } }) {
      const answer = await runScript(
        redis,
        BEGIN,
        [keys.openJobs, keys.outcome(job, key), ...(lane === undefined ? [] : [keys.lane(lane)])],
        [id, ownId],
      );
      const [hasOutcome, stored, first] = Array.isArray(answer) ? answer : [];
      return {
        open: Buffer.isBuffer(stored) ? await read(id, stored) : undefined,
        hasOutcome: Number(hasOutcome) === 1,
        ...(lane === undefined ? {} : { turn: turnOf(ownId, textOf(first)) }),
      };
    },
    async *list() {
      let cursor = '0';
      do {
        const [next, fields] = await redis.hscanBuffer(keys.openJobs, cursor, 'COUNT', CHUNK);
        for (let at = 1; at < fields.length; at += 2) {
          const [id, stored] = [fields[at - 1], fields[at]];
          if (id === undefined || stored === undefined) continue;
          const job = await read(id.toString('utf8'), stored).catch(reportTo(onUnreadable));
          if (job !== undefined) yield job;
        }
        cursor = String(next);
      } while (cursor !== '0');
    },
    async turn({ lane, id }) {
      return turnOf(id, textOf(await runScript(redis, LOOK_UP_TURN, [keys.lane(lane), keys.openJobs], [id])));
    },
    async close({ id, lane, outcome, spent = { marked: [], removed: [] } }) {
      const freed = spentKeys(keys, spent);
      const answer = await runScript(
        redis,
        CLOSE,
        [
          ...[keys.openJobs, keys.lane(lane ?? ''), keys.outcome(outcome?.job ?? '', outcome?.key ?? '')],
          ...freed.keys,
        ],
        [id, lane === undefined ? 0 : 1, outcome === undefined ? 0 : 1, freed.marked, SPENT_TTL_MS],
      );
      const [closed, first] = Array.isArray(answer) ? answer : [];
      if (Number(closed) !== 1) return { kind: 'outcome-missing' };
      return { kind: 'closed', next: textOf(first) };
    },
  };
}

/** An open job as it is stored; one that waits for advisories may hold hundreds of thousands of their ids. */
export function packOpenJob(job: OpenJob): Promise<Buffer> {
  return writeLargeValue(OPEN_JOB, job);
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
 * Keys: open jobs, outcome, and the lane of a job that has one. Arguments: id in the queue, id in the lane. Returns whether the
 * outcome exists, the open job, and the first job of the lane.
 */
const BEGIN = defineScript(`
${TURN}
local stored = redis.call('HGET', KEYS[1], ARGV[1])
return {redis.call('EXISTS', KEYS[2]), stored, KEYS[3] and turn(KEYS[3], KEYS[1], ARGV[2]) or false}
`);

/**
 * Closes a job and frees outcomes. A job that the caller reports as done stays open when Redis has no
 * outcome of it, because Redis may have lost the outcome since it was saved.
 *
 * Keys: open jobs, lane, outcome, then those of `spend`. Arguments: job id, 1 when it has a lane, 1 when it is reported as done,
 * number of marked outcomes, how long their values stay in ms. Returns whether it was closed, and the first job of the lane now.
 */
const CLOSE = defineScript(`
${CLOSE_STEPS}
if ARGV[3] == '1' and redis.call('EXISTS', KEYS[3]) == 0 then
  return {0}
end
local first = close(KEYS[1], ARGV[2] == '1' and KEYS[2], ARGV[1])
spend(KEYS, 4, tonumber(ARGV[4]), ARGV[5])
return {1, first}
`);
