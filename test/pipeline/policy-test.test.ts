import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runWorker } from '../../src/compose/worker.ts';
import { readBundledData } from '../../src/embedded/insights/data-set.ts';
import { refreshDue } from '../../src/jobs/refresh/refresh-fleet.ts';
import type { PolicyTest } from '../../src/model/api/lockhound-api.generated.ts';
import { randomOf } from '../seeded-random.ts';
import { enqueue } from './fleet.ts';
import { runUntil, stopClock } from './moved-clock.ts';
import { createWorld, type Room, type World } from './world.ts';

const DAY = 86_400_000;
const START = Date.parse('2025-03-03T00:00:00Z');
const MONTHS = Number(process.env['POLICY_MONTHS'] ?? 6);
/** Advisories a month: more of them for a busy year. */
const ADVISORIES = Number(process.env['POLICY_ADVISORIES'] ?? 2);
const TARGETS = ['shop', 'api', 'web', 'jobs', 'docs'];
const PACKAGES = Array.from({ length: 14 }, (_, index) => `p${index}`);
const VERSIONS = ['1.0.0', '2.0.0', '3.0.0'];
/** BullMQ does not renew the lock of a job while the clock stands still. */
const LOCKS = { LOCKHOUND_WORKER_LOCK_DURATION: '10m', LOCKHOUND_LOG_LEVEL: 'error' };

const random = randomOf('POLICY_SEED');
const below = (limit: number): number => Math.floor(random() * limit);
const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
const folder = mkdtempSync(join(tmpdir(), 'policy-test-'));

/** Names with versions, by target. */
const locked = new Map(TARGETS.map((target) => [target, new Map<string, string>()]));

function lockfileOf(target: string): string {
  const packages = Object.fromEntries(locked.get(target) ?? []);
  const entries = Object.entries(packages).map(([name, version]) => [`node_modules/${name}`, { version }]);
  return JSON.stringify({
    lockfileVersion: 3,
    packages: { '': { dependencies: packages }, ...Object.fromEntries(entries) },
  });
}

describe('half a year of five targets', () => {
  let world: World;
  let room: Room;
  let worker: Awaited<ReturnType<typeof runWorker>> | undefined;
  const alerts = new Map<string, { alerts: number; changes: number }>();

  beforeAll(async () => {
    stopClock(START);
    const bundled = await readBundledData();
    const own = PACKAGES.map((name) => ({
      ...{ system: 'NPM' as const, name },
      versions: VERSIONS.map((version) => ({ version, publishedAt: '2024-01-01T00:00:00Z' })),
    }));
    const data = { ...bundled, partial: false, packages: [...bundled.packages, ...own] };
    world = await createWorld(undefined, { insights: { data } });
    const { url } = world.services.receiver;
    const routes = [
      { name: 'pager', match: { minSeverity: 'critical' }, webhook: { url: `${url}/pager`, mode: 'change' } },
      { name: 'team-a', match: { labels: { team: ['a'] } }, webhook: { url: `${url}/team-a` } },
    ];
    room = await world.room('year', ['firstScan: all', `routes: ${JSON.stringify(routes)}`], {
      platform: false,
      config: [`data: { folder: "${folder}" }`],
    });
  });
  afterAll(async () => {
    await worker?.close();
    await world.close();
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });

  async function scanChanged(month: number): Promise<void> {
    for (const [index, target] of TARGETS.entries()) {
      const packages = locked.get(target) as Map<string, string>;
      if (month > 0 && random() < 0.2) continue;
      while (packages.size < 8) packages.set(oneOf(PACKAGES), oneOf(VERSIONS));
      for (let change = 0; change < 2; change += 1) {
        const name = oneOf(PACKAGES);
        if (random() < 0.3) packages.delete(name);
        else packages.set(name, oneOf(VERSIONS));
      }
      await room.producer.enqueue({
        scan: `${target}.${month}`,
        target: { id: target, labels: { team: index < 2 ? 'a' : 'b' } },
        lockfiles: [{ path: 'package-lock.json', content: lockfileOf(target) }],
      });
    }
  }

  function publish(month: number): void {
    for (let number = 0; number < ADVISORIES; number += 1) {
      const held = oneOf([...(locked.get(oneOf(TARGETS)) ?? [])]);
      const id = month % 4 === 1 && number === 0 ? `MAL-2025-${month}` : `GHSA-test-0000-00${month}${number}`;
      const affected = [{ system: 'NPM' as const, name: held[0], range: held[1] }];
      const score = 1 + below(90) / 10;
      world.services.insights.learnAdvisory({
        id,
        title: 'A flaw',
        aliases: [],
        score,
        affected,
        heldBack: false,
      });
    }
  }

  async function test(text: string, ...args: readonly string[]): Promise<PolicyTest> {
    const file = join(folder, 'tested.yaml');
    writeFileSync(file, text);
    const { code, output } = await room.lockhound('policy', 'test', file, '--json', ...args);
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    return JSON.parse(output);
  }

  it('sends as many alerts in a worker as the replay of its ledgers', async () => {
    worker = await runWorker(room.load(LOCKS), { signal: new AbortController().signal, ephemeral: false });
    for (let month = 0; month < MONTHS; month += 1) {
      const begin = START + month * 30 * DAY;
      vi.setSystemTime(begin);
      await scanChanged(month);
      await runUntil(room, begin);
      publish(month);
      await runUntil(room, begin + 15 * DAY);
      await enqueue(room, refreshDue('all', new Date()));
      await runUntil(room, Date.now());
    }
    for (const { path, body } of world.services.receiver.deliveries()) {
      const route = path === '/year' ? 'default' : path.slice(1);
      const before = alerts.get(route) ?? { alerts: 0, changes: 0 };
      const { changes } = JSON.parse(body) as { readonly changes: readonly unknown[] };
      alerts.set(route, { alerts: before.alerts + 1, changes: before.changes + changes.length });
    }
    expect([...alerts.keys()].sort()).toEqual(['default', 'pager', 'team-a']);
    const { current, tested, ...found } = await test('policy: {}', '--since', new Date(START).toISOString());
    const sent = Object.fromEntries(
      current.routes.map(({ route, alerts: own, changes }) => [route, { alerts: own, changes }]),
    );
    expect(sent).toEqual(Object.fromEntries(alerts));
    expect(tested).toEqual(current);
    expect(found).toMatchObject({ targets: TARGETS.length, packagesNotKnown: 0, undatedCount: 0 });
    expect(found.datedByAlert).toBe(found.advisories);
  });

  it('says of another policy what it would have sent, and what it would have missed', async () => {
    const muted = 'policy: { byLabel: [{ labels: { team: a }, rules: { vulnerability: { level: note } } }] }';
    const since = new Date(START).toISOString();
    const { current, tested, severe } = await test(muted, '--since', since, '--by', 'team');
    expect(severe).toBeGreaterThan(0);
    expect(current.missedCount).toBe(0);
    expect(tested.routes.map(({ label }) => label)).not.toContain('a');
    expect(tested.routes).toEqual(current.routes.filter(({ label }) => label === 'b'));
    const own = tested.missed.map(({ target, why }) => `${why} ${target}`);
    expect(own.every((one) => /^malware (?:shop|api)$/.test(one))).toBe(true);
    expect(tested.missedCount).toBe(tested.missed.length);
    // A part of the year has a part of the alerts, and no target is new in it.
    const later = await test(muted, '--since', new Date(START + 100 * DAY).toISOString());
    expect(later.current.alerts).toBeLessThan(current.alerts);
    expect(later.notKnown).toBe(0);
    const before = await test(muted, '--since', new Date(START - DAY).toISOString());
    expect(before.notKnown).toBe(TARGETS.length);
  });
});
