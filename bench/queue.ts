import { Queue, Worker } from 'bullmq';
import { pino } from 'pino';
import { z } from 'zod';
import { sealEnvelope } from '../src/jobs/envelope.ts';
import { followUp, type Job, type JobType, jobIdOf } from '../src/jobs/job.ts';
import { createKeys } from '../src/store/keys.ts';
import { createOpenJobStore } from '../src/store/outcomes/open-jobs.ts';
import { createOutcomeStore } from '../src/store/outcomes/outcomes.ts';
import { closeRedis, connectRedis, type RedisClient } from '../src/store/redis/connection.ts';
import { type RuntimeOptions, startWorkers } from '../src/workers/runtime.ts';
import { type NativeRedis, startNativeRedis } from '../test/native-redis.ts';
import { median } from './median.ts';
import { rowsOf, type Table, timeInTurn } from './rows.ts';

/** Jobs of the first queue; each has one follow-up in the second. */
const FIRST = 1_000;
const CONCURRENCY = 8;
const JOBS = 2 * FIRST;
const ROUNDS = 11;

interface World {
  readonly server: NativeRedis;
  readonly redis: RedisClient;
  /** By subject. */
  readonly figures: Map<string, Figures>;
}

/** By round. */
interface Figures {
  /** Redis commands for each job, with those of scripts. */
  readonly commands: number[];
  readonly jobsPerSecond: number[];
}

/**
 * The runtime (envelope, outcome, follow-ups, open jobs) beside BullMQ alone, with jobs that do nothing, on a native Redis.
 * Both have the same queues, concurrency and follow-ups. Joined follow-ups run in the attempt of the job before them, as the judgement of a
 * scan does after its reading: both outcomes are saved in one step. The table has the processor time of the process with both ends of the
 * queue; jobs a second also depend on Redis and on the load of the machine.
 */
export async function* measure(_args: readonly string[], isShort: boolean): AsyncIterable<Table> {
  const server = await startNativeRedis();
  const redis = await connectRedis({ urls: server.url });
  const world: World = { server, redis, figures: new Map() };
  const floor = 'BullMQ alone';
  const subjects = [
    { name: floor, run: runBullmq },
    { name: 'lockhound', floor, aim: 1.43, run: runLockhound },
    { name: 'lockhound, joined follow-ups', floor, aim: 1.43, run: runJoined },
  ];
  let round = 0;
  const timed = subjects.map(({ run, ...subject }) => ({
    ...subject,
    work: () => {
      round += 1;
      return run(world, `round-${round}`, subject.name);
    },
  }));
  try {
    const options = { slowMs: Number.POSITIVE_INFINITY };
    const rows = rowsOf(timed, await timeInTurn(timed, isShort ? 3 : ROUNDS, 2, options));
    yield { title: `${JOBS} jobs, ${CONCURRENCY} concurrent ones, processor time`, rows };
    for (const [name, { commands, jobsPerSecond }] of world.figures) {
      const [rate, each] = [median(jobsPerSecond).toFixed(0), median(commands).toFixed(1)];
      console.log(`${name.padEnd(28)} ${rate.padStart(6)} jobs/s ${each.padStart(6)} Redis commands a job`);
    }
  } finally {
    await closeRedis(redis);
    await server.close();
  }
}

async function measured({ server, figures }: World, name: string, work: () => Promise<void>): Promise<void> {
  await server.call('CONFIG', 'RESETSTAT');
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  const stats = String(await server.call('INFO', 'commandstats'));
  const calls = [...stats.matchAll(/cmdstat_\S+?:calls=(\d+)/g)].map(([, one]) => Number(one));
  const own = figures.get(name) ?? { commands: [], jobsPerSecond: [] };
  figures.set(name, own);
  own.commands.push(calls.reduce((sum, one) => sum + one, 0) / JOBS);
  own.jobsPerSecond.push(JOBS / seconds);
}

async function runBullmq(world: World, prefix: string, name: string): Promise<void> {
  await measured(world, name, async () => {
    const options = { connection: world.redis, prefix: `{${prefix}}` };
    const [first, second] = [new Queue('first', options), new Queue('second', options)];
    await first.addBulk(ids().map((id) => ({ name: 'first', data: { id }, opts: { jobId: `first-${id}` } })));
    const all = Promise.withResolvers<void>();
    let left = FIRST;
    const settings = { ...options, concurrency: CONCURRENCY, removeOnComplete: { count: 0 } };
    const workers = [
      new Worker(
        'first',
        async ({ data }) => {
          await second.add('second', { id: data.id }, { jobId: `second-${data.id}` });
        },
        settings,
      ),
      new Worker('second', async () => {}, settings).on('completed', () => {
        left -= 1;
        if (left === 0) all.resolve();
      }),
    ];
    await all.promise;
    await Promise.all([...workers, first, second].map((one) => one.close()));
  });
}

function jobType(name: string): JobType<{ readonly id: string }> {
  const schema = z.strictObject({ id: z.string() });
  return { name, version: 1, schema: () => schema, key: ({ id }) => id };
}

function jobOf(name: string, next: string | undefined, isJoined: boolean): Job<{ readonly id: string }> {
  const follows = next === undefined ? undefined : jobType(next);
  return {
    ...jobType(name),
    limits: { attempts: 3, backoffMs: 20, maxBackoffMs: 100, timeoutMs: 30_000, concurrency: CONCURRENCY },
    ...(isJoined ? { joinsFollowUp: () => true, followsDirectly: true } : {}),
    run: async ({ id }) => ({ result: id, next: follows === undefined ? [] : [followUp(follows, { id })] }),
  };
}

function runJoined(world: World, prefix: string, name: string): Promise<void> {
  return runLockhound(world, prefix, name, true);
}

async function runLockhound(world: World, prefix: string, name: string, isJoined = false): Promise<void> {
  await measured(world, name, async () => {
    const { redis } = world;
    const keys = createKeys(`{${prefix}}`);
    const jobs = [jobOf('first', 'second', isJoined), jobOf('second', undefined, isJoined)] as const;
    const queue = new Queue('first', { connection: redis, prefix: keys.prefix });
    const [first] = jobs;
    await queue.addBulk(
      ids().map((id) => ({
        name: 'first',
        data: sealEnvelope(first, { id }),
        opts: { jobId: jobIdOf('first', id) },
      })),
    );
    const all = Promise.withResolvers<void>();
    let left = FIRST;
    const runtime = await startWorkers({
      jobs,
      ports: {} as RuntimeOptions['ports'],
      outcomes: createOutcomeStore(redis, keys),
      openJobs: createOpenJobStore(redis, keys),
      connection: redis,
      prefix: keys.prefix,
      log: pino({ level: 'silent' }),
      onEvent: ({ kind, job }) => {
        if (kind !== 'finished' || job !== 'second') return;
        left -= 1;
        if (left === 0) all.resolve();
      },
      reject: async () => {
        throw new Error('a payload was rejected');
      },
    });
    await all.promise;
    await runtime.close(1_000);
    await queue.close();
  });
}

function ids(): readonly string[] {
  return Array.from({ length: FIRST }, (_, index) => `id-${index}`);
}
