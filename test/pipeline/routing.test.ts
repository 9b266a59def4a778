import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../until.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.close());

interface Event {
  readonly route: string;
  readonly target: string;
  readonly summary: string;
  readonly changes: readonly {
    readonly fingerprint: string;
    readonly severity: string;
    readonly target: string;
  }[];
}

const eventsAt = (path: string) =>
  world.services.receiver
    .deliveries()
    .filter((delivery) => delivery.path === path)
    .map(({ body }) => JSON.parse(body) as Event);

const scan = (room: Room, name: string, target: string) =>
  room.producer.enqueue({
    scan: name,
    target: { id: target, labels: { team: target } },
    lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
  });

it('changes go to the matching routes: individually, in a periodic digest, and the rest in one alert', async () => {
  const routes = [
    {
      name: 'high',
      match: { minSeverity: 'high' },
      webhook: { url: `${world.services.receiver.url}/high`, mode: 'change' },
    },
    {
      name: 'daily',
      match: { rules: ['vulnerability'], minSeverity: 'high' },
      webhook: { url: `${world.services.receiver.url}/daily`, mode: 'periodic', every: '24h' },
    },
  ];
  // YAML reads JSON.
  const room = await world.room('routes', [`routes: ${JSON.stringify(routes)}`, 'firstScan: all']);
  const worker = room.work();
  await scan(room, 'one', 'shop');
  await scan(room, 'two', 'api');
  const verdicts = [await room.verdict('one'), await room.verdict('two')];
  const [verdict] = verdicts;
  const all = verdict?.changes ?? [];
  const high = all.filter(({ finding }) => ['critical', 'high'].includes(finding.severity));
  const rest = all.filter(({ finding }) => finding.level === 'alert' && finding.severity === 'medium');
  const vulnerable = high.filter(({ finding }) => finding.rule === 'vulnerability');
  expect(Math.min(high.length, rest.length, vulnerable.length)).toBeGreaterThan(0);

  await until(
    'every alert',
    () => eventsAt('/high').length === 2 * high.length && eventsAt('/routes').length === 2,
  );
  for (const event of eventsAt('/high')) expect(event.changes).toHaveLength(1);
  expect(
    eventsAt('/high')
      .filter(({ target }) => target === 'shop')
      .map(({ changes }) => changes[0]?.fingerprint),
  ).toEqual(high.map(({ finding }) => finding.fingerprint));
  for (const event of eventsAt('/routes'))
    expect(event).toMatchObject({ route: 'default', changes: { length: rest.length } });
  expect(eventsAt('/daily')).toEqual([]);

  // The worker ends before the interval does. Two others start, and one of them sends the waiting changes, once.
  await worker.stop();
  const workers = [room.work(), room.work()];
  await until('two workers', () => workers.every((one) => one.output().includes('worker ready')));
  const schedules = new Queue('schedules', { connection: room.store.redis, prefix: room.store.prefix });
  const day = 86_400_000;
  const [daily] = (await schedules.getJobSchedulers()).filter(({ key }) => key === 'digest-daily');
  expect(daily).toMatchObject({ every: day, next: Math.ceil(Date.now() / day) * day });
  // As if it were midnight.
  await (await schedules.getDelayed()).find(({ name }) => name === 'digest-daily')?.promote();
  await until('the digest', () => eventsAt('/daily').length > 0);
  await schedules.close();
  const [digest, ...others] = eventsAt('/daily');
  expect(others).toEqual([]);
  expect(digest).toMatchObject({ route: 'daily', target: '2 targets' });
  expect(new Set(digest?.changes.map(({ fingerprint }) => fingerprint)).size).toBe(2 * vulnerable.length);
  expect(new Set(digest?.changes.map(({ target }) => target))).toEqual(new Set(['shop', 'api']));
  expect(await room.store.digests.read('daily')).toEqual([]);
});
