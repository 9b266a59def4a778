import { afterAll, beforeAll, expect, it } from 'vitest';
import { routingOf } from '../../src/compose/notify/routing.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { NotifyConfig } from '../../src/config/sections/notify.ts';
import { settingsDue } from '../../src/jobs/refresh/select-targets.ts';
import { until } from '../until.ts';
import { LOCKFILE } from './fixtures.ts';
import { enqueue, idle, scan } from './fleet.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

interface Alert {
  readonly route: string;
  readonly summary: string;
  readonly changes: readonly { readonly target: string; readonly severity: string }[];
}

it('a new route gets one alert about what is open already, in all targets', async () => {
  const alertsAt = (path: string) =>
    world.services.receiver
      .deliveries()
      .filter((one) => one.path === path)
      .map(({ body }) => JSON.parse(body) as Alert);
  const before = await world.room('new-route');
  const first = before.work();
  await scan(before, 'shop', LOCKFILE);
  await scan(before, 'api', LOCKFILE);
  await until('both alerts', () => alertsAt('/new-route').length === 2);
  await first.stop();

  const routes = [
    {
      name: 'audit',
      match: { minSeverity: 'high' },
      webhook: { url: `${world.services.receiver.url}/audit` },
    },
  ];
  const room = await world.room('new-route', [`routes: ${JSON.stringify(routes)}`]);
  const second = room.work();
  const [was, now] = [[], routes].map((list) =>
    routingOf({ ...notifyOf(), routes: list as unknown as NotifyConfig['routes'] }),
  );
  await enqueue(room, settingsDue('b'.repeat(64), { before: was, now: now as never }, new Date()));
  await until('the alert of the new route', () => alertsAt('/audit').length > 0);
  await idle(room);
  await second.stop();

  const [summary, ...more] = alertsAt('/audit');
  expect(more).toEqual([]);
  expect(new Set(summary?.changes.map(({ target }) => target))).toEqual(new Set(['shop', 'api']));
  expect(new Set(summary?.changes.map(({ severity }) => severity))).toEqual(new Set(['critical', 'high']));
  expect(summary?.summary).toContain('open already');
  expect(alertsAt('/new-route')).toHaveLength(2);
  expect(await room.store.fleet.judgedRouting()).toMatchObject({
    rules: [{ name: 'audit' }, { name: 'default' }],
  });
});

function notifyOf(): NotifyConfig {
  const environment = { LOCKHOUND_NOTIFY_WEBHOOK_URL: 'https://receiver.example/hook' };
  const { notify } = loadConfig({ environment }).config;
  if (notify === undefined) throw new Error('a receiver is configured');
  return notify;
}
