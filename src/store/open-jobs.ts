import type { OpenJob, OpenJobs } from '../model/queue/open-job.ts';
import { packLargeJson, unpackJson } from './compression.ts';
import type { RedisClient } from './connection.ts';
import type { Keys } from './keys.ts';
import { CLOSE_JOB, LOOK_UP_TURN, OPEN_JOB } from './scripts/open-jobs.lua.ts';
import { runScript } from './scripts/run-script.ts';

/** Read at once while all are listed. */
const CHUNK = 200;

/** `Child` is what jobs that run before others look like: kept as JSON and handed back as they came. */
export function createOpenJobStore<Child>(redis: RedisClient, keys: Keys): OpenJobs<Child> {
  return {
    async open(job) {
      const { id, lane } = job;
      await runScript(
        redis,
        OPEN_JOB,
        [keys.openJobs, keys.lane(lane ?? '')],
        [id, await packOpenJob(job), lane === undefined ? 0 : 1],
      );
    },
    async find(id) {
      const stored = await redis.hgetBuffer(keys.openJobs, id);
      return stored === null ? undefined : ((await unpackJson(stored)) as OpenJob<Child>);
    },
    async *list() {
      let cursor = '0';
      do {
        const [next, fields] = await redis.hscanBuffer(keys.openJobs, cursor, 'COUNT', CHUNK);
        for (let at = 1; at < fields.length; at += 2) {
          const value = fields[at];
          if (value !== undefined) yield (await unpackJson(value)) as OpenJob<Child>;
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
        CLOSE_JOB,
        [keys.openJobs, keys.lane(lane ?? ''), keys.outcome(outcome?.job ?? '', outcome?.key ?? '')],
        [id, lane === undefined ? 0 : 1, outcome === undefined ? 0 : 1],
      );
      const [closed, first] = Array.isArray(answer) ? answer : [];
      if (Number(closed) !== 1) return { kind: 'outcome-missing' };
      const next = textOf(first);
      return { kind: 'closed', ...(next === undefined ? {} : { next }) };
    },
  };
}

/** An open job as it is kept: one that waits for hundreds of thousands of advisories holds their ids. */
export function packOpenJob(job: OpenJob): Promise<Buffer> {
  return packLargeJson(job);
}

function textOf(answer: unknown): string | undefined {
  return Buffer.isBuffer(answer) ? answer.toString('utf8') : undefined;
}
