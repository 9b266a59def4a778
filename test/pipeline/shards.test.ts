import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sealEnvelope } from '../../src/jobs/envelope.ts';
import { jobIdOf } from '../../src/jobs/job.ts';
import { INGEST_LOCKFILES } from '../../src/jobs/payloads/ingest-lockfiles.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { until } from '../until.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type World } from './world.ts';

const TARGETS = Array.from({ length: 12 }, (_, number) => `team/target-${number}`);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

function requestOf(scan: string, target: string) {
  return { scan, target: { id: target }, lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }] };
}

const alertsOf = (name: string) =>
  world.services.receiver.deliveries().filter(({ path }) => path === `/${name}`);

describe('with several shards', () => {
  it('each target is scanned in its shard and alerts once', async () => {
    const room = await world.room('spread', [], { shards: 4 });
    const worker = room.work({ LOCKHOUND_WORKER_HEALTH_PORT: '0' });
    for (const [index, target] of TARGETS.entries())
      await room.producer.enqueue(requestOf(`s${index}`, target));
    for (const index of TARGETS.keys()) await room.verdict(`s${index}`);
    await until('all alerts arrive', () => alertsOf('spread').length >= TARGETS.length);
    const targets = alertsOf('spread').map(({ body }) => (JSON.parse(body) as { target: string }).target);
    expect(targets.toSorted()).toEqual(TARGETS.toSorted());
    const used = new Set<number>();
    for (const target of TARGETS) {
      const own = room.stores.of(target);
      used.add(own.shard.index);
      for (const shard of room.stores.shards) {
        expect((await shard.targets.read(target)) !== undefined).toBe(shard === own);
      }
    }
    expect(used.size).toBe(4);
    expect(worker.output()).toContain('0, 1, 2, 3 of 4');
    // The platform is provisioned once, and all delivered attempts are recorded in the shard of their target.
    for (const shard of room.stores.shards) {
      const ids = await shard.deliveries.list(['delivered']);
      for (const id of ids) expect(await shard.deliveries.attempts(id)).toHaveLength(1);
    }
    const listed = await room.lockhound('scans', 'list', '--json');
    expect((JSON.parse(listed.output) as { scans: unknown[] }).scans).toHaveLength(TARGETS.length);
    const deliveries = await room.lockhound('deliveries', 'list', '--json');
    expect(deliveries.output.match(/"state":"delivered"/g)).toHaveLength(TARGETS.length);
    for (const index of TARGETS.keys()) {
      expect((await room.lockhound('scans', 'get', `s${index}`)).code).toBe(0);
      if (index === 2) break;
    }
    await worker.stop();
    expect(await room.store.redis.zcard('{spread}:workers')).toBe(0);
  });

  it('a scan on the queue of another shard is moved to that of its target', async () => {
    const room = await world.room('misplaced', [], { shards: 3 });
    const own = room.stores.of('shop');
    const wrong = room.stores.shards.find((shard) => shard !== own);
    const { redis: connection, prefix } = wrong ?? own;
    const queue = new Queue(INGEST_LOCKFILES.name, { connection, prefix });
    const payload = {
      ...requestOf('by-hand', 'shop'),
      target: { id: 'shop', labels: {} },
      requestedAt: new Date().toISOString(),
    };
    const jobId = jobIdOf(INGEST_LOCKFILES.name, 'by-hand');
    await queue.add(INGEST_LOCKFILES.name, sealEnvelope(INGEST_LOCKFILES, payload), { jobId });
    room.work();
    await room.verdict('by-hand');
    expect(await own.targets.read('shop')).toMatchObject({ scan: scanIdOf('shop', 'by-hand') });
    expect(await wrong?.outcomes.has(INGEST_LOCKFILES.name, scanIdOf('shop', 'by-hand'))).toBe(false);
    await until('its alert arrives', () => alertsOf('misplaced').length === 1);
    await until('no job is open', async () => {
      for (const { openJobs } of room.stores.shards) for await (const _ of openJobs.list()) return false;
      return true;
    });
    await queue.close();
  });

  it('workers run the shards that they name, and no worker starts with another number', async () => {
    const room = await world.room('parts', [], { shards: 2 });
    const other = room.stores.shards[1];
    const [here, there] = [0, 1].map((index) =>
      TARGETS.find((one) => room.stores.of(one).shard.index === index),
    );
    room.work({}, [0]);
    await room.producer.enqueue(requestOf('here', here ?? ''));
    await room.producer.enqueue(requestOf('there', there ?? ''));
    await room.verdict('here');
    expect(await other?.outcomes.has(INGEST_LOCKFILES.name, scanIdOf(there ?? '', 'there'))).toBe(false);
    vi.stubEnv('LOCKHOUND_REDIS_SHARDS', '3');
    const refused = await room.lockhound('worker');
    vi.unstubAllEnvs();
    expect(refused).toMatchObject({
      code: 2,
      output: expect.stringContaining('spread over 2 shards, and redis.shards is 3'),
    });
    room.work({}, [1]);
    await room.verdict('there');
    const unknown = await room.lockhound('worker', '--shard', '2');
    expect(unknown).toMatchObject({ code: 2, output: expect.stringContaining('shards are 0 to 1') });
  });
});
