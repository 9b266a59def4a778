import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../src/jobs/job.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterEach(() => world.services.insights.faults.clear());

afterAll(() => world.close());

type Files = Readonly<Record<string, string>>;

/** Scans one after the other; resolves to the verdict of each. */
function scans(room: Room) {
  let count = 0;
  return async (files: Files, { partial = false } = {}) => {
    count += 1;
    const scan = `scan-${count}`;
    await room.producer.enqueue({
      scan,
      target: { id: 'target' },
      partial,
      requestedAt: new Date(Date.UTC(2026, 0, 1, count)).toISOString(),
      lockfiles: Object.entries(files).map(([path, content]) => ({ path, content })),
    });
    return await room.verdict(scan);
  };
}

const LOCK = 'pnpm-lock.yaml';
const ENVIRONMENT = `---
lockfileVersion: '9.0'
importers:
  .:
    packageManagerDependencies:
      pnpm:
        specifier: 12.0.0
        version: 12.0.0
packages:
  pnpm@12.0.0:
    resolution: {integrity: sha512-YWJj}
snapshots:
  pnpm@12.0.0: {}
`;
const PROJECT = `---
lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      lodash:
        specifier: 4.17.20
        version: 4.17.20
packages:
  lodash@4.17.20:
    resolution: {integrity: sha512-YWJj}
snapshots:
  lodash@4.17.20: {}
`;

const transitions = ({ changes }: Awaited<ReturnType<Room['verdict']>>) =>
  changes.map(({ transition, finding }) => `${transition} ${finding.package.name}`);

describe('a scan that sees less than the one before', () => {
  it('resolves nothing, says so, and resolves when it sees everything again', async () => {
    const room = await world.room('sees-less');
    const worker = room.work();
    const scan = scans(room);
    const first = await scan({ [LOCK]: ENVIRONMENT + PROJECT });
    const open = first.findings.filter(({ package: { name } }) => name === 'lodash').length;
    expect(open).toBeGreaterThan(0);
    expect(first.complete).toBe(true);
    const lesser: Files = {
      'without the project': ENVIRONMENT,
      'of an unknown version': ENVIRONMENT + PROJECT.replace("'9.0'", "'19.0'"),
      'with an unreadable entry': ENVIRONMENT + PROJECT.replaceAll('lodash@4.17.20:', 'nothing:'),
      'without a package that it needs': PROJECT.slice(0, PROJECT.indexOf('packages:')),
      'that is no YAML': 'lockfileVersion: [',
    };
    for (const [what, content] of Object.entries(lesser)) {
      const verdict = await scan({ [LOCK]: content });
      expect(transitions(verdict), what).not.toContain('resolved lodash');
      expect(verdict, what).toMatchObject({ complete: false });
      expect(verdict.kept, what).toBeGreaterThanOrEqual(open);
    }
    expect((await room.store.fleetCounts()).incompleteTargets).toBe(1);
    expect((await room.lockhound('health')).output).toContain('the last scan of 1 target was incomplete');
    expect(worker.output()).toMatch(/"level":"warn"[^\n]*incomplete/);
    const last = await scan({ [LOCK]: ENVIRONMENT + PROJECT.replaceAll('4.17.20', '4.17.21') });
    expect(transitions(last).filter((one) => one === 'resolved lodash')).toHaveLength(open);
    expect(last).toMatchObject({ complete: true, kept: 0 });
    expect((await room.store.fleetCounts()).incompleteTargets).toBe(0);
  });

  it('keeps findings in lockfiles that a partial scan does not name', async () => {
    const room = await world.room('partial');
    room.work();
    const scan = scans(room);
    const first = await scan({ 'a/package-lock.json': LOCKFILE, [LOCK]: PROJECT });
    expect(first.changes.length).toBeGreaterThan(3);
    const fixed = PROJECT.replaceAll('4.17.20', '4.17.21');
    const partial = await scan({ [LOCK]: fixed }, { partial: true });
    expect(transitions(partial).filter((one) => one.startsWith('resolved'))).toEqual([]);
    expect(partial).toMatchObject({ partial: true, complete: true });
    const removed = await scan({ [LOCK]: fixed });
    expect(transitions(removed)).toContain('resolved lodash');
    expect(transitions(removed)).toContain('resolved minimist');
  });

  it('is incomplete after the service lost data; its packages are not missing', async () => {
    const room = await world.room('forgets');
    room.work();
    const scan = scans(room);
    const first = await scan({ 'package-lock.json': LOCKFILE });
    expect(first.counts.outcomes).toMatchObject({ resolved: 3, missing: 1 });
    const nothing = JSON.stringify({ responses: Array.from({ length: 4 }, () => ({ request: {} })) });
    world.services.insights.faults.inject(
      { kind: 'answer', status: 200, body: nothing, headers: { 'content-type': 'application/json' } },
      { times: 99, when: ({ url }: { url: string }) => /batch/i.test(url) },
    );
    const second = await scan({ 'package-lock.json': LOCKFILE });
    // What was known stays, and is doubted.
    expect(second.counts.outcomes).toMatchObject({ resolved: 3, missing: 1, failed: 0 });
    expect(second.changes).toEqual([]);
    expect(second).toMatchObject({
      complete: false,
      findings: first.findings.map(({ fingerprint }) => ({ fingerprint })),
    });
    expect(second.gaps).toContainEqual(expect.objectContaining({ kind: 'service' }));
    world.services.insights.faults.clear();
    const third = await scan({ 'package-lock.json': LOCKFILE });
    expect(third).toMatchObject({ complete: true, changes: [] });
  });

  it('is judged without its lockfiles after workers died repeatedly while they ran it, which resolves nothing', async () => {
    const room = await world.room('deadly');
    const worker = room.work();
    const known = await scans(room)({ 'package-lock.json': LOCKFILE });
    await worker.stop();
    // Its only package was never looked up.
    const lockfiles = [{ path: 'package-lock.json', content: SOUND }];
    await room.producer.enqueue({ scan: 'deadly', target: { id: 'target' }, lockfiles });
    const { redis, prefix } = room.store;
    const job = jobIdOf('ingest-lockfiles', scanIdOf('target', 'deadly'));
    expect(await redis.hset(`${prefix}:ingest-lockfiles:${job}`, 'stc', 3)).toBe(1);
    room.work();
    const verdict = await room.verdict('deadly');
    expect(verdict.changes).toEqual([]);
    expect(verdict.kept).toBe(known.findings.length);
    expect(verdict.gaps).toMatchObject([
      { kind: 'lockfile', subject: 'package-lock.json', reason: expect.stringContaining('workers died') },
    ]);
  });
});
