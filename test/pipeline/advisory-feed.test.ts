import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { affectedVersions, witnessesOf } from '../../src/insights/losses/witnesses.ts';
import { createFeedServer } from '../advisories/feed-server.ts';
import { until } from '../until.ts';
import { createInbox, idle, refresh, scan } from './fleet.ts';
import { createWorld, type World } from './world.ts';

const lockOf = (name: string) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: { '': { dependencies: { [name]: '1.0.0' } }, [`node_modules/${name}`]: { version: '1.0.0' } },
  });
const versions = (name: string, ...listed: readonly string[]) => [
  { package: { ecosystem: 'npm', name }, versions: listed },
];
const DAY_AGO = new Date(Date.now() - 86_400_000).toISOString();
/** With them the database proves that it has lost nothing. */
const WITNESSES = [
  ...witnessesOf('NPM').map(({ lookUp, states }) => ({ ...lookUp.versionKey, id: states.get('advisories') })),
  ...affectedVersions('NPM').map((key) => ({ ...key, id: undefined })),
].map(({ name, version, id }, at) => {
  return { id: id ?? `GHSA-witness-${at}`, modified: DAY_AGO, affected: versions(name, version) };
});

const folder = mkdtempSync(join(tmpdir(), 'advisory-feed-'));
let world: World;
let feed: Awaited<ReturnType<typeof createFeedServer>>;
beforeAll(async () => {
  world = await createWorld();
  feed = await createFeedServer();
  writeFileSync(join(folder, 'records.json'), JSON.stringify(WITNESSES));
});
afterAll(async () => {
  await feed.close();
  await world.close();
  rmSync(folder, { recursive: true });
});

/** Publishes a change of a record now. */
function publish(id: string, record: object): void {
  const modified = new Date().toISOString();
  feed.put(id, modified, { body: JSON.stringify({ id, modified, ...record }) });
}

describe('an advisory that the list of changes names', () => {
  it.each([1, 3])('reaches the holders of its packages, and nobody else, with %d shards', async (shards) => {
    feed.reset();
    const name = `feed-${shards}`;
    const inbox = createInbox(world, name);
    const room = await world.room(name, [], {
      shards,
      config: [
        `data: { folder: "${join(folder, name)}", osv: { url: "${feed.url}", every: 1s, ecosystems: [npm] } }`,
      ],
    });
    expect((await room.lockhound('data', 'import', 'osv', join(folder, 'records.json'))).code).toBe(0);
    const worker = room.work({ LOCKHOUND_INSIGHTS_SOURCES: 'osv' });
    for (const [target, held] of [
      ['web', 'left'],
      ['api', 'left'],
      ['other', 'right'],
    ] as const)
      await scan(room, target, lockOf(held));
    expect(inbox()).toEqual([]);
    const inboxUntil = async (wanted: readonly string[]) => {
      const all: string[] = [];
      await until(`the alerts ${wanted.join(', ')}`, () => all.push(...inbox()) >= wanted.length);
      for (const store of room.stores.shards) await idle({ store });
      expect([...all, ...inbox()].sort()).toEqual(wanted);
    };

    publish('MAL-2026-1', { summary: 'Malicious code in left', affected: versions('left', '1.0.0') });
    await inboxUntil(['api opened vulnerability critical', 'web opened vulnerability critical']);
    // A scan that comes later knows it, too.
    await scan(room, 'late', lockOf('left'));
    await inboxUntil(['late opened vulnerability critical']);

    publish('MAL-2026-1', { affected: versions('left', '0.9.0') });
    await inboxUntil(['api', 'late', 'web'].map((target) => `${target} resolved vulnerability critical`));
    publish('GHSA-2', { affected: versions('right', '1.0.0') });
    await inboxUntil(['other opened vulnerability unrated']);
    publish('GHSA-2', { withdrawn: new Date().toISOString(), affected: versions('right', '1.0.0') });
    await inboxUntil(['other resolved vulnerability unrated']);
    await worker.stop();
  });
});

it('an OSV-only fleet reports what is stored of a target as its scan does', async () => {
  feed.reset();
  const room = await world.room('stored', [], { config: [`data: { folder: "${join(folder, 'stored')}" }`] });
  writeFileSync(
    join(folder, 'stored.json'),
    JSON.stringify([{ id: 'GHSA-9', modified: DAY_AGO, affected: versions('left', '1.0.0') }, ...WITNESSES]),
  );
  expect((await room.lockhound('data', 'import', 'osv', join(folder, 'stored.json'))).code).toBe(0);
  const worker = room.work({ LOCKHOUND_INSIGHTS_SOURCES: 'osv' });
  // No advisory of PyPI is imported.
  await room.producer.enqueue({
    scan: 'stored.1',
    target: { id: 'mixed' },
    lockfiles: [
      { path: 'package-lock.json', content: lockOf('left') },
      { path: 'requirements.txt', content: 'flask==3.0.0\n' },
    ],
  });
  await idle(room);
  const { counts, complete } = await room.verdict('stored.1');
  expect(counts.outcomes).toMatchObject({ resolved: 1, uncovered: 1, failed: 0 });
  vi.stubEnv('LOCKHOUND_INSIGHTS_SOURCES', 'osv');
  for (const step of [() => undefined, () => refresh(room)]) {
    await step();
    const stored = JSON.parse((await room.lockhound('targets', 'report', 'mixed', '--json')).output);
    expect(stored).toMatchObject({ counts: { outcomes: counts.outcomes }, complete });
    expect(stored.findings).toMatchObject([{ advisory: { id: 'GHSA-9' } }]);
    expect(stored.gaps.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['coverage', 'source']);
  }
  await worker.stop();
});
