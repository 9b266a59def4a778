import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestSchedules } from '../../src/compose/worker/schedules.ts';
import { configSchema } from '../../src/config/schema.ts';
import type { NotifyConfig } from '../../src/config/sections/notify.ts';
import type { Change } from '../../src/model/scan/change.ts';
import { randomOf } from '../seeded-random.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { enqueue as enqueueJob } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

const random = randomOf('KILL_SEED');

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.close());

const TARGETS = 2;
const SCANS = 4;
const DAY_MS = 86_400_000;

interface Event {
  readonly id: string;
  readonly scan: string;
  readonly reminder: boolean;
  readonly target: string;
  readonly changes: readonly {
    readonly target: string;
    readonly fingerprint: string;
    readonly transition: string;
  }[];
}

const eventsAt = (path: string) =>
  world.services.receiver
    .deliveries()
    .filter((delivery) => delivery.path === path)
    .map(({ body }) => JSON.parse(body) as Event);

/** Every second scan finds nothing, so that all findings are resolved and reopened. */
async function enqueue(room: Room, target: number, number: number): Promise<void> {
  await room.producer.enqueue({
    scan: `t${target}.${number}`,
    requestedAt: new Date(Date.UTC(2026, 4, 1, 0, number)).toISOString(),
    target: { id: `t${target}` },
    lockfiles: [{ path: 'package-lock.json', content: number % 2 === 0 ? LOCKFILE : SOUND }],
  });
}

/** Notes are not sent. */
const isAlert = ({ finding }: Change) => finding.level === 'alert';

const line = ({ finding, transition }: Change) => `${transition} ${finding.fingerprint}`;

it('individual changes and periodic digests lose and repeat nothing, also where answers are lost and days are requested twice', async () => {
  const { url } = world.services.receiver;
  const routes = [
    { name: 'each', webhook: { url: `${url}/each`, mode: 'change', reminders: false } },
    { name: 'daily', webhook: { url: `${url}/daily`, mode: 'periodic', every: '24h', reminders: false } },
    { name: 'reminded', match: { transitions: ['opened'] }, webhook: { url: `${url}/reminded` } },
  ];
  const room = await world.room('periodic-routes', [
    `routes: ${JSON.stringify(routes)}`,
    'firstScan: all',
    'retries: { attempts: 60, firstDelay: 5ms, longestDelay: 40ms }',
  ]);
  world.services.receiver.faults.inject(
    { kind: 'drop-answer' },
    { times: Number.POSITIVE_INFINITY, when: () => random() < 0.1 },
  );
  room.work();
  // Each day takes 300 ms; digests are requested while scans run.
  const stop = new AbortController();
  const days = daysPass(room, notifyOf(routes), stop.signal);
  const scans = Array.from({ length: SCANS }, (_, number) => number);
  for (const number of scans) {
    for (let target = 0; target < TARGETS; target += 1) await enqueue(room, target, number);
    // Each scan is judged before the next one, which would supersede it.
    for (let target = 0; target < TARGETS; target += 1) await room.verdict(`t${target}.${number}`);
  }
  const open = () => room.store.deliveries.list(['open', 'failed']).then((ids) => ids.length);
  const waiting = () => room.store.digests.read('daily').then((entries) => entries.length);
  const verdicts = await Promise.all(
    Array.from({ length: TARGETS }, (_, target) =>
      Promise.all(scans.map((number) => room.verdict(`t${target}.${number}`))),
    ),
  );
  const expected = verdicts.map((all) => all.flatMap(({ changes }) => changes.filter(isAlert).map(line)));
  const total = expected.flat().length;
  expect(total).toBeGreaterThan(TARGETS * SCANS * 2);
  const delivered = (path: string) => eventsAt(path).reduce((sum, { changes }) => sum + changes.length, 0);
  await expect.poll(() => delivered('/each'), { interval: 50 }).toBeGreaterThanOrEqual(total);
  await expect.poll(() => delivered('/daily'), { interval: 50 }).toBeGreaterThanOrEqual(total);
  await expect.poll(waiting).toBe(0);
  await expect.poll(open).toBe(0);
  stop.abort();
  await days;

  for (const [target, changes] of expected.entries()) {
    const name = `t${target}`;
    const each = eventsAt('/each').filter((event) => event.target === name);
    expect(each.map((event) => event.changes.length)).toEqual(changes.map(() => 1));
    expect(
      each.flatMap((event) => event.changes.map(lineOfEvent)),
      name,
    ).toEqual(changes);
    const daily = eventsAt('/daily').flatMap((event) => event.changes);
    expect(daily.filter((one) => one.target === name).map(lineOfEvent), name).toEqual(changes);
  }
  const reminders = eventsAt('/reminded').filter(({ reminder }) => reminder);
  expect(reminders.length).toBeGreaterThan(0);
  // One for each day on which findings were open.
  expect(new Set(reminders.map(({ scan }) => scan)).size).toBe(reminders.length);
  // The test covers several digests.
  expect(eventsAt('/daily').length).toBeGreaterThan(1);
});

const lineOfEvent = ({ transition, fingerprint }: Event['changes'][number]) => `${transition} ${fingerprint}`;

function notifyOf(routes: readonly object[]): NotifyConfig {
  const platform = { url: 'https://p.example', apiKey: { env: 'A' }, applicationKey: { env: 'B' } };
  const { notify } = configSchema.parse({
    notify: { platform, routes, remindAfter: { critical: '0s', high: '0s' } },
  });
  if (notify === undefined) throw new Error('the configuration has no `notify`');
  return notify;
}

/** Requests the digests and reminders of each day twice, as a scheduler does after a crash. */
async function daysPass(room: Room, notify: NotifyConfig, signal: AbortSignal): Promise<void> {
  for (let day = 1; !signal.aborted; day += 1) {
    const due = new Date(Math.floor(Date.now() / DAY_MS + day) * DAY_MS);
    for (const { start } of [
      ...digestSchedules(room.store, notify),
      ...digestSchedules(room.store, notify),
    ]) {
      for (const requested of await start(due)) await enqueueJob(room, requested);
    }
    await sleep(300, undefined, { signal }).catch(() => {});
  }
}
