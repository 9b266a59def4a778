import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SOUND } from './fixtures.ts';
import { ADVISORY, createInbox, refresh, scan } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

const ID = 'MAL-2026-9999';
const AFFECTED = '2.1.3';
const OTHER = '0.1.0';
const folder = mkdtempSync(join(tmpdir(), 'disputed-'));
let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

let imports = 0;

/** Imports a record about the package of `SOUND`, each newer than the one before. */
async function publish(room: Room, change: object): Promise<void> {
  imports += 1;
  const modified = new Date(Date.UTC(2026, 4, imports)).toISOString();
  const affected = [{ package: { ecosystem: 'npm', name: 'ms' }, versions: ['2.1.3'] }];
  const path = join(folder, 'record.json');
  writeFileSync(path, JSON.stringify({ id: ID, modified, summary: 'Invented', affected, ...change }));
  expect((await room.lockhound('data', 'import', 'osv', path)).code).toBe(0);
}

it('tells once each source that denies an alert, and resolves it when all sources that know it do', async () => {
  const { insights, receiver } = world.services;
  const inbox = createInbox(world, 'disputed');
  const room = await world.room('disputed', [], {
    config: [`data: { folder: "${join(folder, 'data')}" }`],
  });
  await publish(room, {
    id: 'GHSA-else-else-else',
    affected: [{ package: { ecosystem: 'npm', name: 'no' } }],
  });
  room.work({ LOCKHOUND_INSIGHTS_SOURCES: 'api,osv' });
  await scan(room, 'web', SOUND);
  const known = (range: string) =>
    insights.learnAdvisory({
      ...ADVISORY,
      id: ID,
      affected: [{ system: 'NPM', name: 'ms', range }],
    });
  const told = () => JSON.stringify(receiver.deliveries().at(-1)?.body ?? '');
  const steps: readonly (readonly [change: () => unknown, alerts: readonly string[], text?: RegExp])[] = [
    [() => undefined, []],
    // The service does not have the advisory: that says nothing.
    [() => publish(room, {}), ['web opened vulnerability critical'], /"disputed":null/],
    [
      () => known(OTHER),
      ['web disputed vulnerability critical'],
      /"source":"api","says":"unaffected","since":"20..-.*"source":"osv","says":"affected"/,
    ],
    [() => known(AFFECTED), []],
    [() => known(OTHER), []],
    [() => known(AFFECTED), []],
    [
      () => publish(room, { withdrawn: '2026-05-20T00:00:00Z' }),
      ['web disputed vulnerability critical'],
      /"source":"osv","says":"withdrawn","since":"2026-05-20T00:00:00Z"/,
    ],
    [() => insights.withdrawAdvisory(ID), ['web resolved vulnerability critical']],
  ];
  for (const [change, expected, text = /./] of steps) {
    await change();
    await refresh(room);
    expect(inbox()).toEqual(expected);
    expect(told().replaceAll('\\', '')).toMatch(text);
    await refresh(room);
    await refresh(room, 'young');
    expect(inbox()).toEqual([]);
  }
});

it('an import with fewer records resolves nothing: an advisory that nobody has any more is denied by nobody', async () => {
  const inbox = createInbox(world, 'fewer');
  const data = join(folder, 'fewer');
  const room = await world.room('fewer', [], { config: [`data: { folder: "${data}" }`] });
  const other = { id: 'GHSA-else-else-else', affected: [{ package: { ecosystem: 'npm', name: 'no' } }] };
  const gone = 'GHSA-gone-gone-gone';
  await publish(room, other);
  await publish(room, { id: gone });
  room.work({ LOCKHOUND_INSIGHTS_SOURCES: 'api,osv' });
  await scan(room, 'web', SOUND);
  await refresh(room);
  expect(inbox()).toEqual(['web opened vulnerability unrated']);
  rmSync(join(data, 'advisories.sqlite'));
  await publish(room, other);
  for (let time = 0; time < 2; time += 1) await refresh(room);
  await scan(room, 'web', SOUND);
  expect(inbox()).toEqual([]);
  const { findings } = JSON.parse((await room.lockhound('findings', '--target', 'web', '--json')).output);
  expect(findings).toMatchObject([{ finding: { advisory: { id: gone } } }]);
  expect((await room.store.fleet.lastRefresh('all'))?.dataLoss).toEqual({
    lost: 1,
    compared: 1,
    of: ['NPM imported advisories'],
  });
  // A withdrawal is a statement.
  await publish(room, { id: gone, withdrawn: '2026-05-20T00:00:00Z' });
  await refresh(room);
  expect(inbox()).toEqual(['web resolved vulnerability unrated']);
});

it('a person may accept that an imported record is gone', async () => {
  const inbox = createInbox(world, 'accepted');
  const data = join(folder, 'accepted');
  const room = await world.room('accepted', [], { config: [`data: { folder: "${data}" }`] });
  const other = { id: 'GHSA-else-else-else', affected: [{ package: { ecosystem: 'npm', name: 'no' } }] };
  await publish(room, other);
  await publish(room, { id: 'GHSA-done-done-done' });
  room.work({ LOCKHOUND_INSIGHTS_SOURCES: 'api,osv' });
  await scan(room, 'web', SOUND);
  rmSync(join(data, 'advisories.sqlite'));
  await publish(room, other);
  await refresh(room);
  inbox();
  await room.store.fleet.acceptLoss('somebody', new Date().toISOString());
  await refresh(room);
  expect(inbox()).toEqual(['web resolved vulnerability unrated']);
});
