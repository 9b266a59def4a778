import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IndexedPackage } from '../../src/embedded/insights/data-set.ts';
import { createInbox, refresh, scan } from './fleet.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const NAME = 'quarantine-sample';
const LOCKFILE = JSON.stringify({
  name: 'fixture',
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { [NAME]: '1.0.0' } },
    [`node_modules/${NAME}`]: { version: '1.0.0' },
  },
});

function withStatus(status: string | undefined): IndexedPackage {
  const projectStatus = status === undefined ? undefined : { status, reason: 'reported' };
  const publishedAt = '2020-01-01T00:00:00Z';
  return {
    system: 'NPM',
    name: NAME,
    default: '1.0.0',
    versions: [{ version: '1.0.0', publishedAt, license: 'MIT', projectStatus }],
  };
}

it('a project in quarantine alerts once, and only another status resolves it', async () => {
  const room = await world.room('quarantine', [], { config: ['watch: { every: 0s, young: 0s }'] });
  room.work({ LOCKHOUND_INSIGHTS_RECORD_TTL: '1ms' });
  const inbox = createInbox(world, 'quarantine');
  const { insights } = world.services;
  insights.putPackage(withStatus(undefined));
  await scan(room, 'one', LOCKFILE);
  expect(inbox()).toEqual([]);
  insights.putPackage(withStatus('quarantined'));
  await refresh(room);
  expect(inbox()).toEqual(['one opened quarantined high']);
  const again = [() => refresh(room), () => scan(room, 'one', LOCKFILE)];
  for (const step of again) await step();
  expect(inbox()).toEqual([]);
  // A service that says nothing of it.
  insights.putPackage(withStatus(undefined));
  for (const step of again) await step();
  expect(inbox()).toEqual([]);
  // A service that lacks what was asked for. A refresh would go on asking.
  let refused = 0;
  const when = () => {
    refused += 1;
    return true;
  };
  insights.faults.inject({ kind: 'answer', status: 404 }, { every: 1, when });
  await scan(room, 'one', LOCKFILE);
  insights.faults.clear();
  expect(refused).toBeGreaterThan(0);
  expect(inbox()).toEqual([]);
  // It is known again, and still the same.
  insights.putPackage(withStatus('quarantined'));
  await refresh(room);
  expect(inbox()).toEqual([]);
  insights.putPackage(withStatus('active'));
  await refresh(room);
  expect(inbox()).toEqual(['one resolved quarantined high']);
});
