import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pipeline, startPipeline } from '../../src/compose/pipeline.ts';
import { NO_ROUTING } from '../../src/compose/ports.ts';
import { loadConfig } from '../../src/config/load.ts';
import { FLEET_TARGET, freshnessDue } from '../../src/jobs/refresh/check-freshness.ts';
import { finishRefresh } from '../../src/jobs/refresh/finish-refresh.ts';
import { refreshDue, refreshFleet } from '../../src/jobs/refresh/refresh-fleet.ts';
import { settingsDue } from '../../src/jobs/refresh/select-targets.ts';
import { LOGGED_CHANGES } from '../../src/model/stored/catalog.ts';
import { freshnessProbe } from '../../src/server/probes.ts';
import { createKeys } from '../../src/store/keys.ts';
import { readValue } from '../../src/store/values/stored-values.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { enqueue, idle, refresh, scan } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

const BATCH = '/v3alpha/purlbatch';
const HOUR = 3_600_000;

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** A worker in this process whose jobs give up soon. */
async function startHere(room: Room): Promise<Pipeline> {
  const { insights } = world.services;
  const loaded = loadConfig({
    environment: { LOCKHOUND_INSIGHTS_URL: insights.url, LOCKHOUND_INSIGHTS_RECORD_TTL: '1ms' },
  });
  return await startPipeline(loaded, room.store, {
    log: pino({ level: 'silent' }),
    limits: { attempts: 2, backoffMs: 10, maxBackoffMs: 20 },
  });
}

/** The changes of a room so far, as the log of the fleet has them. */
async function changesOf({ store: { redis, prefix } }: Room): Promise<readonly string[]> {
  const key = createKeys(prefix).changes;
  const entries = await redis.xrangeBuffer(key, '-', '+');
  const changes: string[] = [];
  for (const [, fields] of entries as unknown as readonly (readonly [Buffer, readonly Buffer[]])[]) {
    const place = { key, remedy: '' };
    const logged = await readValue(LOGGED_CHANGES, fields[1] ?? '', place);
    for (const { transition, rule } of logged.changes) changes.push(`${logged.target} ${transition} ${rule}`);
  }
  return changes.sort();
}

describe('a refresh without answers', () => {
  it('learns an advisory that no scan could read', async () => {
    const { insights } = world.services;
    const room = await world.room('unread');
    const worker = await startHere(room);
    insights.faults.inject(
      { kind: 'answer', status: 503 },
      { times: 1_000_000, when: ({ url }) => url?.includes('/advisories/') === true },
    );
    await scan(room, 'one', LOCKFILE);
    insights.faults.clear();
    const open = async () => (await room.store.fleet.summary('one'))?.open;
    const unrated = (await open())?.unrated ?? 0;
    expect(unrated).toBeGreaterThan(0);
    await refresh(room);
    expect(await open()).not.toHaveProperty('unrated');
    expect(Object.values((await open()) ?? {}).reduce((sum, count) => sum + count, 0)).toBe(unrated);
    await worker.close(1_000);
  });

  it('keeps what is known, and says that it is incomplete', async () => {
    const { insights } = world.services;
    const room = await world.room('silent');
    const worker = await startHere(room);
    await scan(room, 'one', LOCKFILE);
    const before = await changesOf(room);
    insights.faults.inject({ kind: 'answer', status: 503 }, { times: 1_000_000 });
    await refresh(room);
    insights.faults.clear();
    expect(await changesOf(room)).toEqual(before);
    const failed = await room.store.fleet.lastRefresh('all');
    expect(failed).toMatchObject({ packages: 4, changed: 0 });
    expect(failed?.unanswered).toBeGreaterThan(4);
    expect(failed?.reason).toContain('503');
    const { fleet } = room.store;
    expect(await fleet.freshness(60_000)).toMatchObject({
      failure: { reason: expect.stringContaining('503') },
    });
    await refresh(room);
    const complete = await fleet.lastRefresh('all');
    expect(complete).toMatchObject({ failed: 0, unanswered: 0 });
    const fresh = await fleet.freshness(60_000);
    expect(fresh).toMatchObject({ stale: 0, failure: undefined });
    expect(fresh.oldest).toBeGreaterThanOrEqual(Date.parse(complete?.startedAt ?? ''));
    expect(await changesOf(room)).toEqual(before);
    await worker.close(1_000);
  });
});

describe('packages without an answer for too long', () => {
  it('are one alert, which is resolved by answers', async () => {
    const { insights } = world.services;
    const room = await world.room('stale');
    const { fleet, targets } = room.store;
    const worker = await startHere(room);
    await scan(room, 'one', SOUND);
    const answered = Date.now();
    /** The limit, in ms, beyond which the answers of the scan are stale, and those of later refreshes are not. */
    const sinceScan = () => Date.now() - answered;
    // The check of a schedule.
    const check = async (staleAfterMs: number) => {
      const state = await targets.read(FLEET_TARGET.id);
      const freshness = await fleet.freshness(staleAfterMs);
      for (const job of freshnessDue(freshness, { state, last: undefined }, new Date()))
        await enqueue(room, job);
      await idle(room);
      return (await changesOf(room)).filter((change) => change.includes('stale-facts'));
    };
    const probed = (staleAfter: number) => freshnessProbe([fleet], { every: 60_000, staleAfter }).check();
    insights.faults.inject({ kind: 'answer', status: 401 }, { times: 1_000_000 });
    await refresh(room);
    expect(await check(HOUR)).toEqual([]);
    expect(await probed(HOUR)).toMatchObject([{ note: expect.stringMatching(/not answered: .*HTTP 401/) }]);
    const opened = 'lockhound:fleet opened stale-facts';
    expect(await check(sinceScan())).toEqual([opened]);
    expect(await check(sinceScan())).toHaveLength(1);
    expect((await fleet.freshness(sinceScan())).staleTargets).toEqual(new Set(['one']));
    expect(await probed(sinceScan())).toMatchObject([
      { note: expect.stringMatching(/out of date: .*HTTP 401/) },
    ]);
    insights.faults.clear();
    await refresh(room);
    expect(await check(sinceScan())).toEqual([opened, 'lockhound:fleet resolved stale-facts']);
    expect(await probed(sinceScan())).toEqual([{ name: 'facts' }]);
    await worker.close(1_000);
  });
});

describe('settings that changed', () => {
  it('apply to what is stored', async () => {
    const room = await world.room('settings');
    const worker = await startHere(room);
    await scan(room, 'one', LOCKFILE);
    const before = await changesOf(room);
    await worker.close(1_000);
    const { insights } = world.services;
    const other = await startPipeline(
      loadConfig({
        environment: {
          LOCKHOUND_INSIGHTS_URL: insights.url,
          LOCKHOUND_POLICY_RULES_DEPRECATED_LEVEL: 'alert',
        },
      }),
      room.store,
      { log: pino({ level: 'silent' }) },
    );
    await enqueue(room, settingsDue('a'.repeat(64), { now: NO_ROUTING }, new Date()));
    await idle(room);
    expect(await room.store.fleet.judgedSettings()).toBe('a'.repeat(64));
    const added = [...(await changesOf(room))];
    for (const one of before) added.splice(added.indexOf(one), 1);
    // It was a note before.
    expect(added).toEqual(['one opened deprecated']);
    await other.close(1_000);
  });
});

describe('an index that loses its data', () => {
  it('changes nothing, and what it lost counts when it has the rest again', async () => {
    const { insights } = world.services;
    const room = await world.room('loss');
    const worker = await startHere(room);
    await scan(room, 'one', LOCKFILE);
    const before = await changesOf(room);
    const packages = ['lodash', 'minimist', 'request'].flatMap(
      (name) => insights.findPackage({ system: 'NPM', name }) ?? [],
    );
    const [first, ...others] = packages;
    for (const one of packages.slice(0, 2)) insights.putPackage({ ...one, versions: [] });
    await refresh(room);
    expect(await changesOf(room)).toEqual(before);
    expect(await room.store.fleet.lastRefresh('all')).toMatchObject({
      dataLoss: { lost: 2, compared: 3 },
      changed: 0,
    });
    for (const one of others) insights.putPackage(one);
    await refresh(room);
    const added = (await changesOf(room)).filter((one) => !before.includes(one));
    expect(added).toEqual(['one opened vanished']);
    if (first !== undefined) insights.putPackage(first);
    await worker.close(1_000);
  });
});

describe('two refreshes', () => {
  it('never run at once: the second one is skipped', async () => {
    const room = await world.room('overlap');
    const workers = [await startHere(room), await startHere(room)];
    await scan(room, 'one', LOCKFILE);
    const { insights } = world.services;
    let arrived = () => {};
    const held = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    insights.faults.inject(
      { kind: 'drop' },
      {
        when: ({ url }) => {
          if (url.includes(BATCH)) arrived();
          return false;
        },
      },
    );
    const [first, second] = [new Date(), new Date(Date.now() + 1)].map((due) => refreshDue('all', due));
    if (first === undefined || second === undefined) throw new Error('there are two');
    await enqueue(room, first);
    await held;
    await enqueue(room, second);
    await idle(room);
    insights.faults.clear();
    const results = await Promise.all(
      [first, second].map(({ key }) => room.store.outcomes.read(refreshFleet.name, key)),
    );
    expect(results.map((one) => one?.result)).toEqual([
      { packages: 4, advisories: expect.any(Number) },
      { skippedFor: first.key },
    ]);
    expect(await room.store.outcomes.has(finishRefresh.name, second.key)).toBe(false);
    for (const worker of workers) await worker.close(1_000);
  });
});
