import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { idle } from './fleet.ts';
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
