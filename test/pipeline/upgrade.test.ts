import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBundledData } from '../../src/embedded/insights/data-set.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import type { RedisClient } from '../../src/store/redis/connection.ts';
import { until } from '../until.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

/**
 * The keys that release 0.1.0 left in Redis when its worker was killed: two scans of shop/web are concluded, two
 * deliveries of route `broken` are waiting for another attempt, a periodic digest is waiting, and one scan of shop/api
 * is on the queue. Values that are not UTF-8 are base64.
 */
const DUMP = JSON.parse(
  readFileSync(new URL('./fixtures/release-0.1.0.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Dumped>>;

type Text = string | { readonly base64: string };
type Dumped =
  | { readonly type: 'string'; readonly value: Text }
  | { readonly type: 'hash'; readonly value: Readonly<Record<string, Text>> }
  | { readonly type: 'list'; readonly value: readonly Text[] }
  | { readonly type: 'set'; readonly value: readonly string[] }
  /** Member, score, member, score. */
  | { readonly type: 'zset'; readonly value: readonly string[] };

function bytes(text: Text): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.base64, 'base64');
}

async function restore(redis: RedisClient, key: string, dumped: Dumped): Promise<void> {
  switch (dumped.type) {
    case 'string':
      await redis.set(key, bytes(dumped.value));
      return;
    case 'hash':
      for (const [field, value] of Object.entries(dumped.value)) await redis.hset(key, field, bytes(value));
      return;
    case 'list':
      await redis.rpush(key, ...dumped.value.map(bytes));
      return;
    case 'set':
      await redis.sadd(key, ...dumped.value);
      return;
    case 'zset':
      for (let at = 0; at < dumped.value.length; at += 2) {
        await redis.zadd(key, dumped.value[at + 1] ?? '', dumped.value[at] ?? '');
      }
  }
}

let world: World;
let room: Room;
beforeAll(async () => {
  // The index as release 0.1.0 knew it: its findings say that this version is missing.
  const data = await readBundledData();
  const packages = data.packages.map((one) =>
    one.name === 'lodash'
      ? { ...one, versions: one.versions.filter(({ version }) => version !== '4.17.21') }
      : one,
  );
  world = await createWorld(undefined, { insights: { data: { ...data, packages } } });
  // The prefix of the dump: BullMQ writes it into values too.
  const { url } = world.services.receiver;
  room = await world.room('upgrade', [
    'routes:',
    `  - { name: pager, match: { minSeverity: low }, webhook: { url: "${url}/pager", mode: change } }`,
    `  - { name: broken, match: { minSeverity: low }, webhook: { url: "${url}/broken", mode: digest } }`,
    `  - { name: weekly, match: { minSeverity: low }, webhook: { url: "${url}/weekly", mode: periodic, every: 168h } }`,
  ]);
  for (const [key, dumped] of Object.entries(DUMP)) {
    await restore(room.store.redis, key.replace('{prefix}', '{upgrade}'), dumped);
  }
  // It works for both tests.
  room.startWorker();
});
afterAll(() => world.close());

function received(path: string) {
  return world.services.receiver.deliveries().filter((delivery) => delivery.path === path);
}

describe('a worker on the Redis of release 0.1.0', () => {
  it('finishes what was on the queue and delivers what was waiting, under the same ids, in order', async () => {
    const before = Object.entries(DUMP).filter(([key]) => /:delivery:[^:]+$/.test(key));
    const open = DUMP['{prefix}:deliveries:open'];
    const waiting = open?.type === 'zset' ? open.value.filter((_, index) => index % 2 === 0) : [];
    expect(waiting).toHaveLength(2);
    await room.verdict('scan-3');
    await until('the waiting alerts arrive', async () => received('/broken').length >= 3);
    const own = received('/broken').filter(({ body }) => body.includes('shop/web'));
    expect(new Set(own.map(({ id }) => id))).toEqual(new Set(waiting));
    expect(own.map(({ body }) => JSON.parse(body).scan)).toEqual(['scan-1', 'scan-2']);
    for (const [key] of before) {
      const id = key.split(':').at(-1) ?? '';
      await until(
        `${id} is delivered`,
        async () => (await room.store.deliveries.find(id))?.state === 'delivered',
      );
    }
  });

  it('knows the findings that were reported: the same lockfile changes nothing', async () => {
    const sent = received('/pager').filter(({ body }) => body.includes('shop/web')).length;
    await room.producer.enqueue({
      scan: 'scan-4',
      target: { id: 'shop/web', labels: { team: 'web' } },
      lockfiles: [{ path: 'package-lock.json', content: LOCKFILE.replaceAll('4.17.20', '4.17.21') }],
    });
    expect((await room.verdict('scan-4')).changes).toEqual([]);
    // Nothing that release 0.1.0 had scanned is scanned again under the id that this release gives it.
    const ids = (await room.store.scans.list({ from: 0, count: 100 })).map(({ scan }) => scan);
    expect(ids.sort()).toEqual([scanIdOf('shop/api', 'scan-3'), scanIdOf('shop/web', 'scan-4')]);
    expect(received('/pager').filter(({ body }) => body.includes('shop/web'))).toHaveLength(sent);
  });
});
