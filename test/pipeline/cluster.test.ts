import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { type NativeCluster, startNativeCluster } from '../native-cluster.ts';
import { HAS_REDIS } from '../native-redis.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

/**
 * `CLUSTER_KILLS=1`: a primary is killed and restarted in each round. Without it only the spreading and the move are tested;
 * `cluster-failover.test.ts` has primaries that die.
 */
const KILLS = process.env['CLUSTER_KILLS'] === '1';

const TARGETS = Array.from({ length: 6 }, (_, number) => `team/target-${number}`);

/**
 * `appendfsync always`: a primary that is killed restarts with all acknowledged writes. A replica that takes over may lose some,
 * as docs/redis.md says; `real-history.test.ts` and the simulation cover that.
 */
describe.skipIf(!HAS_REDIS)('four shards on a Redis Cluster of three primaries', () => {
  let cluster: NativeCluster;
  let world: World;
  let receiver: Awaited<ReturnType<typeof startRecorder>>;
  let room: Room;
  beforeAll(async () => {
    [cluster, receiver] = await Promise.all([startNativeCluster(3), startRecorder()]);
    world = await createWorld({ url: cluster.url, close: cluster.close });
    const routes = [{ name: 'all', webhook: { url: `${receiver.url}/all` } }];
    room = await world.room('cluster', [`routes: ${JSON.stringify(routes)}`], {
      platform: false,
      shards: 4,
      config: ['worker: { recheck: { open: 1s, turn: 1s, held: 1s } }'],
    });
  });
  afterAll(async () => {
    await world?.close();
    await receiver?.close();
  });

  it(`spreads over all primaries, and each change arrives once${KILLS ? ' although each is killed' : ''}`, async () => {
    const worker = room.work();
    const rounds = [LOCKFILE, SOUND];
    for (const [round, content] of rounds.entries()) {
      const strike = KILLS ? sleep(300).then(() => bounce(round)) : undefined;
      for (const target of TARGETS) await enqueue(round, target, content);
      await strike;
      for (const target of TARGETS) await room.verdict(scanId(round, target));
      await until(
        'all alerts of the round arrive',
        () => receiver.taken.filter(({ scan }) => scan.startsWith(`r${round}.`)).length >= TARGETS.length,
      );
    }
    await until('no job is open', isIdle);
    const ids = new Map(receiver.taken.map(({ id, scan }) => [id, scan]));
    expect([...ids.values()].toSorted()).toEqual(
      rounds.flatMap((_, round) => TARGETS.map((target) => scanId(round, target))).toSorted(),
    );
    // Deliveries are at least once; without a lost answer they are exactly once.
    process.stdout.write(`${receiver.taken.length} alerts with ${ids.size} ids\n`);
    for (const primary of cluster.primaries) {
      expect(Number(await primary.call('DBSIZE'))).toBeGreaterThan(25);
    }
    await worker.stop();
    const states = await Promise.all(TARGETS.map((target) => room.stores.of(target).targets.read(target)));
    expect(states.map((state) => state?.scan)).toEqual(TARGETS.map((target) => scanId(1, target)));
  });

  it('moves to six shards and back to one', async () => {
    for (const to of [6, 1]) {
      await until('no worker counts as running', async () => {
        const moved = await room.lockhound('shards', 'move', String(to), '--json');
        if (moved.code !== 0) expect(moved.output).toMatch(/workers? runs?/);
        return moved.code === 0;
      });
    }
    expect(await room.store.redis.scard('{cluster}:targets')).toBe(TARGETS.length);
    const known = receiver.taken.length;
    room.work({ LOCKHOUND_REDIS_SHARDS: '1' });
    const target = TARGETS[0] ?? '';
    const lockfiles = [{ path: 'package-lock.json', content: LOCKFILE }];
    const request = { scan: 'after-move', target: { id: target }, lockfiles };
    await until('the producer may enqueue', async () => {
      const { createProducer } = await import('../../src/producer.ts');
      const producer = await createProducer({ redis: cluster.url, prefix: '{cluster}' });
      await producer.enqueue(request);
      await producer.close();
      return true;
    });
    await until('its alert arrives', () => receiver.taken.length > known);
    expect(receiver.taken.slice(known).map(({ scan }) => scan)).toEqual([scanIdOf(target, 'after-move')]);
  });

  /** Kills a primary and starts it again, with its append-only file. */
  async function bounce(index: number): Promise<void> {
    const primary = cluster.primaries[index % cluster.primaries.length];
    await primary?.kill();
    await sleep(1_000);
    await primary?.start();
  }

  async function enqueue(round: number, target: string, content: string): Promise<void> {
    const lockfiles = [{ path: 'package-lock.json', content }];
    const requestedAt = new Date(Date.UTC(2026, 4, 1, 0, round)).toISOString();
    const request = { scan: scanId(round, target), requestedAt, target: { id: target }, lockfiles };
    await until(`scan ${request.scan} is enqueued`, async () => {
      try {
        await Promise.race([
          room.producer.enqueue(request),
          sleep(5_000).then(() => Promise.reject(new Error())),
        ]);
        return true;
      } catch {
        // A producer repeats what was refused or not answered.
        return false;
      }
    });
  }

  async function isIdle(): Promise<boolean> {
    for (const { openJobs } of room.stores.shards) for await (const _ of openJobs.list()) return false;
    return true;
  }
});

function scanId(round: number, target: string): string {
  return scanIdOf(target, `r${round}.${target.replace('/', '-')}`);
}

/** A receiver that records the ids of alerts. */
async function startRecorder() {
  const taken: { readonly id: string; readonly scan: string }[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { scan } = JSON.parse(Buffer.concat(parts).toString()) as { scan: string };
    taken.push({ id: String(request.headers['webhook-id']), scan });
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    taken,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
