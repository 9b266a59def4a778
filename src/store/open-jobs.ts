import type { OpenJob, OpenJobs } from '../model/queue/open-job.ts';
import { OPEN_JOB } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { defineScript, runScript } from './scripts/run-script.ts';
import { type OnUnreadable, readValue, reportTo, writeLargeValue } from './values/stored-values.ts';

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
      const first = textOf(await runScript(redis, LOOK_UP_TURN, [keys.lane(lane), keys.openJobs], [id]));
      if (first === undefined) return { kind: 'absent' };
      return first === id ? { kind: 'first' } : { kind: 'waiting', first };
    },
    async close({ id, lane, outcome }) {
      const answer = await runScript(
        redis,
        CLOSE,
        [keys.openJobs, keys.lane(lane ?? ''), keys.outcome(outcome?.job ?? '', outcome?.key ?? '')],
        [id, lane === undefined ? 0 : 1, outcome === undefined ? 0 : 1],
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

/** Keys: lane, open jobs. Argument: job id. Returns the first job, while the job has a place or is open. */
const LOOK_UP_TURN = defineScript(`
local first = redis.call('LINDEX', KEYS[1], 0)
if first == ARGV[1] or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 or redis.call('LPOS', KEYS[1], ARGV[1]) then
  return first
end
return false
`);

/**
 * Closes a job: forgets it and releases its place. A job that the caller reports as done stays open when Redis has no
 * outcome of it, because Redis may have lost the outcome since it was saved.
 *
 * Keys: open jobs, lane, outcome. Arguments: job id, 1 when it has a lane, 1 when it is reported as done. Returns whether it
 * was closed, and the first job of the lane now.
 */
const CLOSE = defineScript(`
if ARGV[3] == '1' and redis.call('EXISTS', KEYS[3]) == 0 then
  return {0}
end
redis.call('HDEL', KEYS[1], ARGV[1])
if ARGV[2] ~= '1' then
  return {1}
end
redis.call('LREM', KEYS[2], 1, ARGV[1])
return {1, redis.call('LINDEX', KEYS[2], 0)}
`);
