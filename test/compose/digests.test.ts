import { expect, test } from 'vitest';
import { digestSchedules } from '../../src/compose/worker/schedules.ts';
import { configSchema } from '../../src/config/schema.ts';
import type { DigestEntry } from '../../src/model/alert/notification.ts';

const { notify } = configSchema.parse({
  notify: {
    platform: { url: 'https://p.example', apiKey: { env: 'A' }, applicationKey: { env: 'B' } },
    routes: [
      { name: 'daily', match: {}, webhook: { url: 'https://r.example', mode: 'periodic', every: '24h' } },
      { name: 'now', match: {}, webhook: { url: 'https://r.example', mode: 'change' } },
    ],
  },
});
if (notify === undefined) throw new Error('there is one');

const due = new Date('2026-11-21T00:00:00.000Z');

/** Waiting entries by route; a known route may have none. */
function schedulesWith(waiting: Readonly<Record<string, number>>) {
  const digests = {
    routes: async () => Object.keys(waiting),
    read: async (route: string) => Array<DigestEntry>(waiting[route] ?? 0),
  };
  return digestSchedules({ digests } as Parameters<typeof digestSchedules>[0], notify as never);
}

test('each periodic route has a schedule with its interval, aligned to days', async () => {
  const [daily, ...others] = schedulesWith({});
  expect(daily).toMatchObject({ name: 'digest-daily', everyMs: 86_400_000, aligned: true });
  expect(others.map(({ name }) => name)).toEqual(['digests-left-behind']);
  expect(await daily?.start(due)).toMatchObject([
    { job: 'gather-digest', payload: { of: 'changes', route: 'daily', window: '2026-11-21T00:00:00.000Z' } },
  ]);
});

test('changes that wait for a route that is no longer periodic are sent, and no other digest is requested', async () => {
  const leftBehind = schedulesWith({ daily: 3, now: 2, gone: 1, empty: 0 }).at(-1);
  expect(await leftBehind?.start(due)).toMatchObject(
    ['now', 'gone'].map((route) => ({
      job: 'gather-digest',
      payload: { of: 'changes', route, window: '2026-11-21T00:00:00.000Z' },
    })),
  );
});

test('exceptions that can go are sent once a month to routes of owners that get reminders', async () => {
  const route = (name: string, match: object, more: object = {}) => {
    return { name, match, webhook: { url: 'https://r.example', ...more } };
  };
  const platform = { url: 'https://p.example', apiKey: { env: 'A' }, applicationKey: { env: 'B' } };
  const scheduled = (routes: readonly object[]) => {
    const config = configSchema.parse({ notify: { platform, routes } }).notify;
    const store = { digests: { routes: async () => [], read: async () => [] } };
    return digestSchedules(store as never, config as never).find(({ name }) => name === 'remind-exceptions');
  };
  const owners = ['@org/web'];
  expect(scheduled([route('all', {}), route('quiet', { owners }, { reminders: false })])).toBeUndefined();
  const monthly = scheduled([route('all', {}), route('web', { owners })]);
  expect(monthly).toMatchObject({ cron: '0 8 1 * *', timeZone: 'UTC' });
  expect(await monthly?.start(due)).toMatchObject([
    { job: 'gather-digest', payload: { of: 'exceptions', window: due.toISOString(), routes: ['web'] } },
  ]);
});

test('reminders are sent on Mondays, not to receivers that keep an alert open, unless configured', async () => {
  const config = (more: object) =>
    configSchema.parse({
      notify: {
        platform: { url: 'https://p.example', apiKey: { env: 'A' }, applicationKey: { env: 'B' } },
        webhook: { url: 'https://r.example' },
        routes: [
          { name: 'pager', webhook: { preset: 'pagerduty' } },
          { name: 'quiet', webhook: { url: 'https://r.example', reminders: false } },
        ],
        ...more,
      },
    }).notify;
  const reminders = (more: object) =>
    digestSchedules(
      { digests: { routes: async () => [], read: async () => [] } } as never,
      config(more) as never,
    ).find(({ name }) => name === 'remind-findings');
  expect(reminders({})).toBeUndefined();
  const usual = reminders({ remindAfter: { critical: '7d' } });
  expect(usual).toMatchObject({ cron: '0 8 * * 1', timeZone: 'UTC' });
  expect(await usual?.start(due)).toMatchObject([
    {
      job: 'gather-digest',
      payload: {
        of: 'overdue',
        window: '2026-11-21T00:00:00.000Z',
        after: { critical: 604_800_000 },
        routes: ['default'],
      },
    },
  ]);
  const remindAt = { cron: '30 6 * * 2', timeZone: 'Europe/Berlin' };
  expect(reminders({ remindAfter: { low: '90d' }, remindAt })).toMatchObject(remindAt);
  expect(() => config({ remindAt: { cron: 'monday' } })).toThrow(/cron expression/);
});
