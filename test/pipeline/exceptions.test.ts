import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createInbox, idle } from './fleet.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it('the exceptions of a target are stored with its scan, and since when they are known', async () => {
  const room = await world.room('exceptions');
  const worker = room.work();
  const scan = async (id: string, overrides: object, content = SOUND) => {
    const companions = [
      { name: 'package.json', content: JSON.stringify({ overrides }) },
      { name: '.npmrc', content: '//npm.example/:_authToken=s3cret-token\nmin-release-age=3\n' },
      { name: 'renovate.json', content: '{' },
    ];
    const lockfiles = [{ path: 'package-lock.json', content, companions }];
    await room.producer.enqueue({ scan: id, target: { id: 'shop' }, lockfiles });
    await idle(room);
  };
  const listed = async (...args: string[]) => {
    const { output } = await room.lockhound('targets', 'exceptions', 'shop', '--json', ...args);
    return (JSON.parse(output) as { exceptions: Record<string, string>[] }).exceptions;
  };
  await scan('one', { none: '1.0.0' });
  const first = await listed();
  expect(first.map(({ kind, subject, verdict, since }) => [kind, subject, verdict, since])).toEqual([
    ['cooldown', 'min-release-age', 'needed', undefined],
    ['override', 'none', 'removable', undefined],
    ['unread', 'renovate.json', 'unknown', undefined],
  ]);
  expect(JSON.stringify(first)).not.toContain('s3cret');
  await scan('two', { none: '1.0.0', other: '2.0.0' });
  const second = await listed('--verdict', 'removable', '--kind', 'override');
  expect(second.map(({ subject, since }) => [subject, since !== undefined])).toEqual([
    ['none', false],
    ['other', true],
  ]);
  // The advisory that was open until the scan that saw it first.
  await scan('three', { none: '1.0.0' }, LOCKFILE);
  await scan('four', { none: '1.0.0', lodash: '4.17.21' }, LOCKFILE.replaceAll('4.17.20', '4.17.21'));
  const last = await listed('--kind', 'override');
  expect(last.map(({ subject, advisory }) => [subject, advisory])).toEqual([
    ['none', undefined],
    ['lodash', expect.stringMatching(/^GHSA-/)],
  ]);
  await worker.stop();
});

/** A lockfile of pnpm, which does not state that `needs` requires `held` ^1.0.0. */
const PNPM = `lockfileVersion: '9.0'
overrides:
  held: 1.0.0
importers:
  .:
    dependencies:
      needs: { specifier: ^1.0.0, version: 1.0.0 }
packages:
  needs@1.0.0: { resolution: { integrity: sha512-a } }
  held@1.0.0: { resolution: { integrity: sha512-b } }
snapshots:
  needs@1.0.0:
    dependencies: { held: 1.0.0 }
  held@1.0.0: {}
`;

it('overrides are looked up after a scan, whose note is told once, and resolved when they are needed', async () => {
  const { insights, receiver } = world.services;
  const publish = (name: string, versions: readonly string[], dependencies = {}) =>
    insights.putPackage({
      ...{ system: 'NPM', name, default: versions.at(-1) },
      versions: versions.map((version) => ({ version, dependencies, publishedAt: '2020-01-01T00:00:00Z' })),
    });
  publish('needs', ['1.0.0'], { held: '^1.0.0' });
  publish('held', ['1.0.0']);
  const room = await world.room(
    'looked-up',
    [
      `routes: [{ name: notes, match: { rules: [stale-exception] }, webhook: { url: "${receiver.url}/notes" } }]`,
    ],
    { config: ['policy: { rules: { stale-exception: { level: alert } } }'] },
  );
  const inbox = createInbox(world, 'notes');
  const scan = async (id: string, beside: { name: string; content: string | Buffer }[] = []) => {
    const companions = [
      { name: 'package.json', content: JSON.stringify({ dependencies: { needs: '^1.0.0' } }) },
      { name: 'pnpm-workspace.yaml', content: 'overrides:\n  held: 1.0.0\n' },
    ];
    const lockfile = { path: 'web/pnpm-lock.yaml', content: PNPM, companions };
    const other = { path: 'app/pnpm-lock.yaml', content: PNPM, companions: [...companions, ...beside] };
    const lockfiles = beside.length === 0 ? [lockfile] : [other, lockfile];

    await room.producer.enqueue({ scan: id, target: { id: 'shop' }, lockfiles });
  };
  const listed = async () => {
    const { output } = await room.lockhound('targets', 'exceptions', 'shop', '--json');
    const { exceptions } = JSON.parse(output) as { exceptions: Record<string, string>[] };
    return exceptions.map(({ subject, verdict, evidence }) => `${subject} ${verdict}: ${evidence}`);
  };
  const changed = 'shop opened stale-exception low';

  // The scan alone knows nothing, and a look-up that fails says nothing. Another worker tries it again.
  insights.faults.inject(
    { kind: 'answer', status: 503 },
    { every: 1, when: ({ url }) => url.includes(':requirements') },
  );
  const first = room.work();
  await scan('one');
  await until('the look-up failed', () => /look-up-exceptions.*(?:try|retr)/.test(first.output()));
  expect(await listed()).toEqual([expect.stringMatching(/^held unknown: /)]);
  expect(inbox()).toEqual([]);
  await first.stop();
  insights.faults.clear();
  const second = room.work();
  await idle(room);
  expect(await listed()).toEqual([
    'held removable: all 1 requirements of held permit 1.0.0, the newest that each permits',
  ]);
  expect(inbox()).toEqual([changed]);

  // A scan that knows less leaves the note as it is, and the same verdict is not told again.
  await scan('two');
  await idle(room);
  expect(await listed()).toEqual([expect.stringMatching(/^held removable: /)]);
  expect(inbox()).toEqual([]);

  publish('held', ['1.0.0', '1.1.0']);
  await scan('three');
  await idle(room);
  expect(await listed()).toEqual([
    'held needed: it holds off held 1.1.0, which needs@1.0.0 permits (^1.0.0)',
  ]);
  expect(inbox()).toEqual(['shop resolved stale-exception low']);

  // A file that cannot be read is that of one lockfile.
  publish('held', ['1.0.0']);
  await scan('four', [{ name: '.npmrc', content: Buffer.from([0x61, 0]) }]);
  await idle(room);
  expect(await listed()).toEqual([
    expect.stringMatching(/^\.npmrc unknown: /),
    expect.stringMatching(/^held unknown: /),
    expect.stringMatching(/^held removable: /),
  ]);
  await second.stop();
});
