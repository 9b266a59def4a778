import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../src/jobs/job.ts';
import { INGEST_LOCKFILES } from '../../src/jobs/payloads/ingest-lockfiles.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import type { Verdict } from '../../src/model/scan/verdict.ts';
import { HAS_REDIS } from '../native-redis.ts';
import { seededRandom } from '../seeded-random.ts';
import { until } from '../until.ts';
import { type ChaosRedis, startChaosRedis } from './chaos-redis.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type LocalWorker, type Room, type World } from './world.ts';

/** `CHAOS_SEEDS`: seeds of each kind; `CHAOS_FIRST`: the first of them. */
const SEEDS = Number(process.env['CHAOS_SEEDS'] ?? 1);
const FIRST = Number(process.env['CHAOS_FIRST'] ?? Math.floor(Math.random() * 1_000_000));
const TARGETS = 3;
const SCANS = 4;
const EMPTY = JSON.stringify({ name: 'shop', lockfileVersion: 3, packages: { '': {} } });
const QUICK = 'recheck: { open: 1s, turn: 1s, held: 1s }';

interface Taken {
  readonly id: string;
  readonly path: string;
  readonly scan: string;
  readonly changes: readonly string[];
  readonly hash: string;
}

describe.skipIf(!HAS_REDIS)('after failures of workers and Redis all changes are delivered', () => {
  let redis: ChaosRedis;
  let receiver: Awaited<ReturnType<typeof startRecorder>>;
  let world: World;
  let room: Room;
  let workers: readonly LocalWorker[] = [];
  beforeAll(async () => {
    [redis, receiver] = await Promise.all([startChaosRedis(), startRecorder()]);
    world = await createWorld({ url: redis.url, close: redis.close });
    const routes = [
      { name: 'all', webhook: { url: `${receiver.url}/all` } },
      { name: 'each', webhook: { url: `${receiver.url}/each`, mode: 'change' } },
    ];
    const notify = [
      `routes: ${JSON.stringify(routes)}`,
      'retries: { attempts: 60, firstDelay: 20ms, longestDelay: 200ms }',
    ];
    room = await world.room('chaos', notify, { platform: false, config: [`worker: { ${QUICK} }`] });
  });
  // Workers end with the test that started them. No test kills one: Redis fails.
  beforeEach(async () => {
    workers = [room.work(), room.work()];
    for (const worker of workers)
      await until('the worker is ready', () => worker.output().includes('worker ready'));
  });
  afterAll(async () => {
    await world?.close();
    await receiver?.close();
  });

  const kinds: Readonly<Record<string, (random: () => number) => Promise<void>>> = {
    'power is lost': (random) => redis.losePower(random() * 1_000),
    'a lagging replica takes over': (random) => redis.failOver(random() * 600),
    'the primary is demoted': (random) => redis.demote(random() * 400, random() * 2_000),
  };

  const cases = Object.keys(kinds).flatMap((kind, row) =>
    Array.from({ length: SEEDS }, (_, index) => [kind, FIRST + row * 10_000 + index] as const),
  );
  it.each(cases)('%s, seed %i', async (kind, seed) => {
    const random = seededRandom(seed);
    const strike = sleep(200 + random() * 1_500).then(() => kinds[kind]?.(random));
    const scans = await enqueueAll(seed, random);
    await strike;
    const forgotten = await settled(scans);
    const lost = await undeliveredChanges(scans);
    const state = `${kind}, seed ${seed}: ${forgotten} scans forgotten by Redis, ${lost.length} changes lost, ${await failures()} failed`;
    process.stdout.write(`${state}\n`);
    expect(lost, state).toEqual([]);
    expect(receiver.differing(), state).toEqual([]);
    for (const worker of workers) expect(linesThatAreNotJson(worker), state).toEqual([]);
  });

  /** Enqueues the scans of all targets; every second scan of a target finds nothing. */
  async function enqueueAll(seed: number, random: () => number): Promise<readonly string[]> {
    const scans: string[] = [];
    for (let number = 0; number < SCANS; number += 1) {
      for (let target = 0; target < TARGETS; target += 1) {
        const scan = scanIdOf(`t${seed}-${target}`, `s${seed}.${target}.${number}`);
        await enqueue(scan);
        scans.push(scan);
      }
      await sleep(random() * 700);
    }
    return scans;
  }

  async function enqueue(scan: string): Promise<void> {
    const [seed = '', target = '', number = ''] = scan.slice(1).split('.');
    const request = {
      scan,
      requestedAt: new Date(Date.UTC(2026, 4, 1, 0, Number(number))).toISOString(),
      target: { id: `t${seed}-${target}` },
      lockfiles: [{ path: 'package-lock.json', content: Number(number) % 2 === 0 ? LOCKFILE : EMPTY }],
    };
    for (;;) {
      try {
        return void (await room.producer.enqueue(request));
      } catch {
        // A producer retries what was refused.
        await sleep(100);
      }
    }
  }

  /** Waits until no work is open. Enqueues scans again that Redis lost; resolves to their number. */
  async function settled(scans: readonly string[]): Promise<number> {
    const { redis: connection, prefix } = room.store;
    const queue = new Queue(INGEST_LOCKFILES.name, { connection, prefix });
    const forgotten = new Set<string>();
    const open = async (): Promise<readonly string[]> => {
      const unjudged = [];
      for (const scan of scans) {
        if (await room.store.outcomes.has('judge-scan', scan)) continue;
        unjudged.push(`scan ${scan}`);
        if (await isKnown(queue, scan)) continue;
        forgotten.add(scan);
        await enqueue(scan);
      }
      return [...unjudged, ...(await underWay())].slice(0, 20);
    };
    try {
      await expect.poll(open, { interval: 200 }).toEqual([]);
    } finally {
      await queue.close();
    }
    return forgotten.size;
  }

  async function isKnown(queue: Queue, scan: string): Promise<boolean> {
    const job = await queue.getJob(jobIdOf(INGEST_LOCKFILES.name, scan));
    return job !== undefined || (await room.store.outcomes.has(INGEST_LOCKFILES.name, scan));
  }

  /** Open jobs, lanes and deliveries. */
  async function underWay(): Promise<readonly string[]> {
    const { redis, prefix, openJobs, deliveries } = room.store;
    const jobs: string[] = [];
    for await (const job of openJobs.list()) jobs.push(`job ${job.job} ${job.data.key}`);
    const lanes = await redis.keys(`${prefix.replace(/[{}]/g, '?')}:lane:*`);
    const open = await deliveries.list(['open']);
    return [...jobs, ...lanes, ...open.map((id) => `delivery ${id}`)];
  }

  /** Changes of the verdicts that did not arrive, by route. */
  async function undeliveredChanges(scans: readonly string[]): Promise<readonly string[]> {
    const lost: string[] = [];
    for (const scan of scans) {
      const { changes, routed = {} } = (await room.verdict(scan)) as Verdict;
      for (const route of ['all', 'each']) {
        const delivered = new Set(
          receiver.taken
            .filter((one) => one.scan === scan && one.path === `/${route}`)
            .flatMap((one) => one.changes),
        );
        const expected = (routed[route] ?? [])
          .flatMap((index) => changes[index] ?? [])
          .map(({ transition, finding }) => `${transition} ${finding.fingerprint}`);
        lost.push(
          ...expected
            .filter((change) => !delivered.has(change))
            .map((change) => `${scan} ${route} ${change}`),
        );
      }
    }
    return lost;
  }

  const failures = async (): Promise<number> => {
    const ids = await room.store.deliveries.list(['failed']);
    for (const id of ids) {
      process.stdout.write(`${JSON.stringify(await room.store.deliveries.find(id))}\n`);
    }
    return ids.length;
  };
});

/** A receiver that records every body. */
async function startRecorder() {
  const taken: Taken[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const event = JSON.parse(body) as {
      scan: string;
      changes: readonly { transition: string; fingerprint: string }[];
    };
    taken.push({
      id: String(request.headers['webhook-id']),
      path: request.url ?? '',
      scan: event.scan,
      changes: event.changes.map(({ transition, fingerprint }) => `${transition} ${fingerprint}`),
      hash: createHash('sha256').update(body).digest('hex'),
    });
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    taken,
    /** Ids with different contents. */
    differing(): readonly string[] {
      const bodies = Map.groupBy(taken, ({ id }) => id);
      return [...bodies].filter(([, all]) => new Set(all.map(({ hash }) => hash)).size > 1).map(([id]) => id);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function linesThatAreNotJson(worker: LocalWorker): readonly string[] {
  return worker
    .output()
    .split('\n')
    .slice(0, -1)
    .filter((line) => !line.startsWith('{"level"'));
}
