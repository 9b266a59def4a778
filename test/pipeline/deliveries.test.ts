import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryRecord } from '../../src/model/alert/delivery.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type Room, SECRETS, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterEach(() => world.services.receiver.faults.clear());

afterAll(() => world.close());

const QUICK = ['retries: { attempts: 3, firstDelay: 20ms, longestDelay: 40ms }'];

function alerts(name: string) {
  return world.services.receiver.deliveries().filter(({ path }) => path === `/${name}`);
}

async function scan(room: Room, name: string, target = 'target', lockfile = LOCKFILE): Promise<void> {
  await sleep(5);
  await room.producer.enqueue({
    scan: name,
    target: { id: target },
    lockfiles: [{ path: 'package-lock.json', content: lockfile }],
  });
  await room.verdict(name);
}

/** Without one package of the fixture: its findings are resolved. */
function lockfileWithout(name: string): string {
  const lockfile = JSON.parse(LOCKFILE);
  delete lockfile.packages[`node_modules/${name}`];
  return JSON.stringify(lockfile);
}

const FAILED = ['--state', 'failed'];
const HELD = ['--state', 'held'];
const OPEN = ['--state', 'waiting,retrying,held'];

async function list(room: Room, ...filter: readonly string[]): Promise<readonly DeliveryRecord[]> {
  const { code, output } = await room.lockhound('deliveries', '--json', ...filter);
  expect(code, output).toBe(0);
  return (JSON.parse(output) as { deliveries: readonly DeliveryRecord[] }).deliveries;
}

describe('an outage of the receiver that outlasts all attempts', () => {
  it('leaves failed deliveries; after it they are sent again, in order and under their ids', async () => {
    const name = 'long-outage';
    const room = await world.room(name, QUICK);
    const fault = { kind: 'answer', status: 503, body: 'down for \u001b[31mmaintenance' } as const;
    world.services.receiver.faults.inject(fault, { times: 1_000 });
    room.work();
    await scan(room, 'one');
    await scan(room, 'two', 'target', lockfileWithout('request'));
    await scan(room, 'three', 'other');
    await expect.poll(() => list(room, ...FAILED)).toHaveLength(3);
    expect(alerts(name)).toEqual([]);

    const failed = await list(room, ...FAILED, '--since', '1h');
    expect(failed).toHaveLength(3);
    expect(await list(room, ...FAILED, '--since', '2999-01-01')).toEqual([]);
    expect(await list(room, '--target', 'other')).toMatchObject([
      { scan: scanIdOf('other', 'three'), state: 'failed' },
    ]);
    expect(await list(room, ...OPEN)).toEqual([]);
    const shown = await room.lockhound('deliveries', 'get', failed[0]?.id ?? '');
    expect(shown.output).toMatch(/attempts \(3\)\n.* status .*\n(?:.* \d+ms .* 503 .*\n){3}/);
    expect(shown.output).toContain('down for  [31mmaintenance');
    const text = await room.lockhound('deliveries', ...FAILED);
    expect(text.output).toMatch(
      /^deliveries \(3\)\n {2}state .* id\n {2}failed +other .* msg_[0-9a-f]{32}$/m,
    );

    world.services.receiver.faults.clear();
    const retried = await room.lockhound('deliveries', 'retry', ...FAILED, '--since', '1h');
    expect(retried).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        /^deliveries \(3\)\n(?: {2}id .*\n)?(?: {2}msg_\w+ +queued(?: +msg_\w+)?\n){3}$/,
      ),
    });
    await expect.poll(() => alerts(name).length).toBe(3);
    const scans = alerts(name).map(({ body }) => (JSON.parse(body) as { scan: string }).scan);
    expect(scans.filter((one) => one !== scanIdOf('other', 'three'))).toEqual(
      ['one', 'two'].map((one) => scanIdOf('target', one)),
    );
    expect(new Set(alerts(name).map(({ id }) => id))).toEqual(new Set(failed.map(({ id }) => id)));
    expect(await list(room, ...FAILED)).toEqual([]);
    await expect.poll(() => list(room, ...OPEN)).toEqual([]);

    const again = await room.lockhound('deliveries', 'retry', failed[0]?.id ?? '', 'msg_unknown');
    expect(again.code).toBe(1);
    expect(again.output).toMatch(/msg_\w+ +delivered\n/);
    expect(again.output).toMatch(/msg_unknown +unknown\n/);
    expect(alerts(name).map(({ taken }) => taken)).toEqual([1, 1, 1]);
  });
});

describe('a receiver that answers 410', () => {
  it('stops its route: alerts are held and listed, and sent in order once the route is resumed', async () => {
    const name = 'gone';
    const room = await world.room(name, QUICK);
    world.services.receiver.faults.inject({ kind: 'answer', status: 410, body: 'no more' });
    room.work();
    await scan(room, 'one');
    await expect.poll(() => list(room, ...HELD)).toHaveLength(1);
    await scan(room, 'two', 'target', lockfileWithout('request'));
    await scan(room, 'three', 'other');
    await expect.poll(() => list(room, ...OPEN)).toHaveLength(3);
    await expect.poll(() => list(room, ...HELD)).toHaveLength(2);
    expect(await list(room, ...FAILED)).toEqual([]);
    expect(world.services.receiver.attempts()).toBeGreaterThan(0);
    expect(alerts(name)).toEqual([]);

    const text = await room.lockhound('deliveries');
    expect(text.output).toMatch(/stopped routes \(1\)\n.*\n {2}default .*HTTP 410/);
    expect(text.output).toContain('`lockhound deliveries resume` for the route');
    const [held] = await list(room, ...HELD, '--target', 'target');
    const early = await room.lockhound('deliveries', 'retry', held?.id ?? '');
    expect(early).toMatchObject({ code: 1, output: expect.stringMatching(/msg_\w+ +held\n/) });

    expect((await room.lockhound('deliveries', 'resume', 'other')).code).toBe(2);
    const resumed = await room.lockhound('deliveries', 'resume', 'default');
    expect(resumed).toMatchObject({
      code: 0,
      output: 'Route default is resumed; 2 held deliveries are sent now.\n',
    });
    await expect.poll(() => alerts(name).length).toBe(3);
    const scans = alerts(name).map(({ body }) => (JSON.parse(body) as { scan: string }).scan);
    expect(scans.filter((one) => one !== scanIdOf('other', 'three'))).toEqual(
      ['one', 'two'].map((one) => scanIdOf('target', one)),
    );
    await expect.poll(() => list(room, ...OPEN)).toEqual([]);
  });
});

describe('a receiver that refuses', () => {
  it('with 400 gets one request; the delivery is stored as failed', async () => {
    const name = 'refuses';
    const room = await world.room(name, QUICK);
    world.services.receiver.faults.inject({ kind: 'answer', status: 400 });
    const worker = room.work();
    await scan(room, 'one');
    await expect.poll(async () => (await room.store.deliveries.list(['failed'])).length).toBe(1);
    const [id = ''] = await room.store.deliveries.list(['failed']);
    expect(await room.store.deliveries.find(id)).toMatchObject({ attempts: 1, lastStatus: 400 });
    expect(await room.store.deliveries.attempts(id)).toMatchObject([{ status: 400 }]);
    await worker.stop();
  });

  it('with 401, because its token was replaced, gets the alert again', async () => {
    const name = 'replaced-token';
    const room = await world.room(name, QUICK);
    world.services.receiver.faults.inject({ kind: 'answer', status: 401 });
    const worker = room.work();
    await scan(room, 'one');
    await expect.poll(() => alerts(name).length).toBe(1);
    await expect.poll(() => list(room, '--state', 'delivered')).toMatchObject([{ attempts: 2 }]);
    await worker.stop();
  });
});

describe('a Redis that refuses writes while an alert is delivered', () => {
  it('neither loses it nor has it fail, and a repetition has the same id', async () => {
    const name = 'no-writes';
    const room = await world.room(name, QUICK);
    const writable = (replicas: string) =>
      room.store.redis.call('CONFIG', 'SET', 'min-replicas-to-write', replicas);
    const worker = room.work({ LOCKHOUND_WORKER_LOCK_DURATION: '6s' });
    await expect.poll(() => worker.output()).toContain('worker ready');
    // Redis refuses writes between the request and the answer of the receiver.
    const { receiver } = world.services;
    receiver.faults.latencyMs = 500;
    const before = receiver.attempts();
    await room.producer.enqueue({
      scan: 'one',
      target: { id: 'target' },
      lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
    });
    await expect.poll(() => receiver.attempts(), { interval: 5 }).toBeGreaterThan(before);
    await writable('1');
    receiver.faults.latencyMs = 0;
    // The attempt waits for Redis, or ends without an outcome and is repeated.
    await expect.poll(() => worker.output()).toContain('could not renew lock');
    await writable('0');
    await room.outcome('deliver-notification', 'one.default');
    expect(alerts(name)).toHaveLength(1);
    expect(alerts(name)[0]?.taken).toBeGreaterThanOrEqual(1);
    await expect.poll(() => room.store.deliveries.list(['delivered'])).toHaveLength(1);
    expect(await room.store.deliveries.list(['open', 'failed'])).toEqual([]);
    await worker.stop();
  });
});

describe('delivery: platform-event', () => {
  it('has the platform call the webhook, with its own copy of the secrets', async () => {
    const name = 'through-events';
    const room = await world.room(name, [...QUICK, 'delivery: platform-event']);
    world.services.webhooks.faults.inject(
      { kind: 'answer', status: 503 },
      { when: ({ url }) => url === '/api/v1/events' },
    );
    const worker = room.work();
    await scan(room, 'one');
    await expect.poll(() => alerts(name)).toHaveLength(1);
    const [alert] = alerts(name);
    expect(alert?.headers['authorization']).toBe(`Bearer ${SECRETS.alertToken}`);
    expect(alert?.headers).not.toHaveProperty('webhook-signature');
    const payload = JSON.parse(alert?.body ?? '') as Record<string, string>;
    expect(payload['title']).toMatch(/^\[critical\] target: first scan: \d+ opened$/);
    expect(payload['body']).toMatch(/lodash@\u200b4\.17\.20.*\n@webhook-hook-through-events$/s);
    const [event] = world.services.webhooks.snapshot().events;
    await expect.poll(() => room.store.deliveries.list(['delivered'])).toHaveLength(1);
    const [id = ''] = await room.store.deliveries.list(['delivered']);
    expect(event?.tags).toContain(`lockhound_id:${id}`);
    expect(await room.store.deliveries.attempts(id)).toMatchObject([{ status: 503 }, { status: 202 }]);
    await worker.stop();
    expect(worker.output()).toContain('`notify.signingSecret` is not used');
  });
});
