import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.close());

const DAMAGED = '{ "lockfileVersion": 3, "packages": {';

interface Event {
  readonly event_action: string;
  readonly dedup_key: string;
  readonly payload: {
    readonly summary: string;
    readonly custom_details: { readonly changes: readonly unknown[] };
  };
}

it('a first scan triggers one incident, which its last resolution resolves', async () => {
  const { receiver } = world.services;
  const webhook = { preset: 'pagerduty', secretVariable: 'ALERT_TOKEN', url: `${receiver.url}/pager` };
  const room = await world.room(
    'first',
    [
      `routes: ${JSON.stringify([{ name: 'pager', webhook }])}`,
      'retries: { attempts: 60, firstDelay: 5ms, longestDelay: 40ms }',
    ],
    { platform: false },
  );
  const events = () =>
    receiver
      .deliveries()
      .filter(({ path }) => path === '/pager')
      .map(({ body }) => JSON.parse(body) as Event);
  room.work();
  const scan = async (number: number, lockfiles: Readonly<Record<string, string>>) => {
    await room.producer.enqueue({
      scan: `scan-${number}`,
      requestedAt: new Date(Date.UTC(2026, 4, 1, 0, number)).toISOString(),
      target: { id: 'shop' },
      lockfiles: Object.entries(lockfiles).map(([path, content]) => ({ path, content })),
    });
    const { changes } = await room.verdict(`scan-${number}`);
    await expect.poll(() => room.store.deliveries.list(['open', 'failed']).then((ids) => ids.length)).toBe(0);
    return changes.filter(({ finding }) => finding.level === 'alert').length;
  };

  // The lockfile of the front end cannot be read the first time.
  const found = await scan(1, { 'package-lock.json': LOCKFILE, 'web/package-lock.json': DAMAGED });
  expect(found).toBeGreaterThan(3);
  expect(events()).toMatchObject([{ event_action: 'trigger' }]);
  expect(events()[0]?.payload.summary).toContain(`shop: first scan: ${found} opened`);
  expect(events()[0]?.payload.custom_details.changes).toHaveLength(Math.min(found, 10));

  const web = LOCKFILE.replaceAll('minimist', 'axios').replaceAll('1.2.5', '0.21.1');
  const hidden = await scan(2, { 'package-lock.json': LOCKFILE, 'web/package-lock.json': web });
  expect(hidden).toBeGreaterThan(0);
  expect(events()).toHaveLength(2);
  expect(events()[1]?.payload.summary).toContain(`shop: first scan: ${hidden} opened`);

  await scan(3, { 'package-lock.json': LOCKFILE, 'web/package-lock.json': SOUND });
  expect(events()).toHaveLength(2);
  await scan(4, { 'package-lock.json': SOUND, 'web/package-lock.json': SOUND });
  expect(events().map((event) => event.event_action)).toEqual(['trigger', 'trigger', 'resolve']);
  expect(new Set(events().map((event) => event.dedup_key)).size).toBe(1);

  const returned = await scan(5, { 'package-lock.json': LOCKFILE, 'web/package-lock.json': SOUND });
  const each = events().slice(3);
  expect(each.map((event) => event.event_action)).toEqual(Array(returned).fill('trigger'));
  expect(new Set(each.map((event) => event.dedup_key)).size).toBe(returned);
});
