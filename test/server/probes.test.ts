import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../src/compose/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { routeChecks } from '../../src/server/probes.ts';
import { notificationOf } from '../notify/notification.ts';
import { startRedis, type TestRedis } from '../redis.ts';

let valkey: TestRedis;
const stores: Store[] = [];
beforeAll(async () => {
  valkey = await startRedis();
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await valkey.close();
});

async function open(name: string): Promise<Store> {
  const environment = { REDIS_URL: valkey.url, LOCKHOUND_REDIS_PREFIX: `{${name}}` };
  const store = await openStore(loadConfig({ environment }), pino({ level: 'silent' }));
  stores.push(store);
  return store;
}

async function file({ deliveries }: Store, route: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const id = `${route}-${index}`;
    const identity = { id, key: id, route, target: 'a', scan: id, date: '2026-05-01T00:00:00Z' };
    await deliveries.file(identity, notificationOf());
  }
}

const notifier = (reason = '', ...routes: readonly string[]) => ({
  unprovisioned: () => routes.map((route) => [route, reason] as const),
});

describe('readiness', () => {
  it('has no check for routes that accept alerts', async () => {
    const store = await open('well');
    await file(store, 'default', 2);
    expect(await routeChecks(store, notifier())()).toEqual([]);
    expect(await routeChecks(store, undefined)()).toEqual([]);
  });

  it('names stopped routes with the number of alerts that wait, and notes those without', async () => {
    const store = await open('stopped');
    await file(store, 'pager', 3);
    await file(store, 'chat', 1);
    await file(store, 'other', 2);
    await store.deliveries.stopRoute('pager', 'answered 410', 0);
    await store.deliveries.stopRoute('chat', 'answered 410', 0);
    await store.deliveries.stopRoute('quiet', 'answered 410', 0);
    const checks = await routeChecks(store, notifier())();
    expect(checks.toSorted((left, right) => left.name.localeCompare(right.name))).toEqual([
      { name: 'route chat', fault: expect.stringContaining('; 1 alert waits') },
      {
        name: 'route pager',
        fault: expect.stringMatching(
          /^stopped since \S+ \(answered 410\); `lockhound deliveries resume pager`; 3 alerts wait$/,
        ),
      },
      { name: 'route quiet', note: expect.stringContaining('; no alert waits') },
    ]);
  });

  it('names routes whose webhook is not provisioned, and says why', async () => {
    const store = await open('unprovisioned');
    await file(store, 'default', 1_200);
    expect(await routeChecks(store, notifier('HTTP 403', 'default', 'empty'))()).toEqual([
      { name: 'route default', fault: 'its webhook is not provisioned (HTTP 403); 1200 alerts wait' },
      { name: 'route empty', note: 'its webhook is not provisioned (HTTP 403); no alert waits' },
    ]);
  });

  it('has no check for a route that was resumed', async () => {
    const store = await open('resumed');
    await file(store, 'default', 1);
    await store.deliveries.stopRoute('default', 'answered 410', 0);
    const checks = routeChecks(store, notifier());
    expect(await checks()).toHaveLength(1);
    await store.deliveries.resumeRoute('default');
    expect(await checks()).toEqual([]);
  });
});
