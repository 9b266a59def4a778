import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import type { AdvisoryFact } from '../../src/embedded/insights/data-set.ts';
import { JOBS } from '../../src/jobs/catalog.ts';
import { type FollowUp, jobIdOf } from '../../src/jobs/job.ts';
import { refreshDue } from '../../src/jobs/refresh/refresh-fleet.ts';
import type { Cadence } from '../../src/model/fleet/refresh.ts';
import { createKeys } from '../../src/store/keys.ts';
import { LIMIT_MS } from '../until.ts';
import type { Room, World } from './world.ts';

/** An advisory about the only package of `SOUND`, and the same with a higher score. */
export const ADVISORY: AdvisoryFact = {
  id: 'GHSA-test-test-test',
  title: 'Invented',
  aliases: [],
  score: 5.5,
  vector: 'CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:N/I:N/A:H',
  affected: [{ system: 'NPM', name: 'ms', range: '2.1.3' }],
  heldBack: false,
};
export const WORSE: AdvisoryFact = {
  ...ADVISORY,
  score: 9.8,
  vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
};

/** Queues a job as a schedule does. */
export async function enqueue({ store }: Pick<Room, 'store'>, { job, ...envelope }: FollowUp): Promise<void> {
  const queue = new Queue(job, { connection: store.redis, prefix: store.prefix });
  await queue.add(job, envelope, { jobId: jobIdOf(job, envelope.key) });
  await queue.close();
}

/** Runs a refresh to its end, with all that follows from it. */
export async function refresh(room: Pick<Room, 'store'>, cadence: Cadence = 'all'): Promise<void> {
  await enqueue(room, refreshDue(cadence, new Date()));
  await idle(room);
}

let scans = 0;

/** Scans a target to the end of its deliveries. */
export async function scan(room: Room, target: string, content: string): Promise<void> {
  await enqueueScan(room, target, content);
  await idle(room);
}

async function enqueueScan(
  { producer }: Pick<Room, 'producer'>,
  target: string,
  content: string,
): Promise<void> {
  scans += 1;
  await producer.enqueue({
    scan: `${target}.${scans}`,
    target: { id: target, labels: { team: target } },
    lockfiles: [{ path: 'package-lock.json', content }],
  });
}

interface Alert {
  readonly changes: readonly {
    readonly target: string;
    readonly transition: string;
    readonly rule: string;
    readonly severity: string;
  }[];
}

/** The changes that the receiver of a room got since the last call, in words. */
export function createInbox({ services }: World, name: string): () => readonly string[] {
  let read = 0;
  return () => {
    const all = services.receiver.deliveries().filter(({ path }) => path === `/${name}`);
    const news = all.slice(read);
    read = all.length;
    return news
      .flatMap(({ body }) => (JSON.parse(body) as Alert).changes)
      .map(({ target, transition, rule, severity }) => `${target} ${transition} ${rule} ${severity}`)
      .sort();
  };
}

/** Resolves when no job is open and no queue holds one that will run. */
export async function idle({ store }: Pick<Room, 'store'>, limitMs = LIMIT_MS): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (let open = await unfinished(store); open.length > 0; open = await unfinished(store)) {
    if (performance.now() > deadline) throw new Error(`not finished after ${limitMs} ms: ${open.join(', ')}`);
    await sleep(50);
  }
}

async function unfinished({ redis, prefix }: Room['store']): Promise<readonly string[]> {
  const open = async () => {
    const count = Number(await redis.hlen(createKeys(prefix).openJobs));
    return count === 0 ? [] : [`${count} open jobs`];
  };
  // The queues are many, so that they are asked only when this says nothing.
  const first = await open();
  if (first.length > 0) return first;
  const queued = await Promise.all(
    JOBS.map(async ({ name }) => {
      const counts = await Promise.all([
        redis.llen(`${prefix}:${name}:wait`),
        redis.llen(`${prefix}:${name}:active`),
        redis.zcard(`${prefix}:${name}:delayed`),
        redis.zcard(`${prefix}:${name}:waiting-children`),
        redis.zcard(`${prefix}:${name}:prioritized`),
      ]);
      const sum = counts.reduce((total, count) => total + count, 0);
      return sum === 0 ? [] : [`${sum} ${name}`];
    }),
  );
  // A job that was queued until now may have opened one that runs in no queue.
  return [...queued.flat(), ...(await open())];
}
