import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ROUTING } from '../../src/compose/ports.ts';
import { refreshSchedules } from '../../src/compose/worker/schedules.ts';
import { configSchema } from '../../src/config/schema.ts';
import { selectionDue, settingsDue } from '../../src/jobs/refresh/select-targets.ts';
import { createKeys } from '../../src/store/keys.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { ADVISORY, createInbox, enqueue, idle, refresh, scan } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  world.services.insights.learnAdvisory(ADVISORY);
});
afterAll(() => world.close());

const EMPTY = JSON.stringify({ name: 'empty', lockfileVersion: 3, packages: { '': {} } });

/** The same room with another list of suppressions in its configuration. */
async function roomWith(name: string, suppressions: readonly object[]): Promise<Room> {
  return await world.room(name, [], { config: [`suppressions: ${JSON.stringify(suppressions)}`] });
}

async function stateOf({ store }: Room, target: string) {
  const state = await store.targets.read(target);
  return state?.findings.map(({ status, finding }) => `${status} ${finding.suppressed?.reason ?? '-'}`);
}

describe('suppressions of the configuration', () => {
  it('apply to what is stored when they change, and alert when they are removed', async () => {
    const name = 'changed';
    const inbox = createInbox(world, name);
    const before = await roomWith(name, []);
    const first = before.work();
    await scan(before, 'web', SOUND);
    expect(inbox()).toEqual(['web opened vulnerability medium']);
    await first.stop();

    const suppressed = await roomWith(name, [{ reason: 'not reachable', package: 'pkg:npm/ms@2.1.3' }]);
    const second = suppressed.work();
    await enqueue(suppressed, settingsDue('a'.repeat(64), { now: NO_ROUTING }, new Date()));
    await idle(suppressed);
    expect(inbox()).toEqual([]);
    expect(await stateOf(suppressed, 'web')).toEqual(['open not reachable']);
    await refresh(suppressed);
    expect(inbox()).toEqual([]);
    const listed = await suppressed.lockhound('findings', '--state', 'suppressed');
    expect(listed).toMatchObject({ code: 0, output: expect.stringContaining('not reachable') });
    expect((await suppressed.lockhound('findings', '--json')).output).toContain('"total":0');
    await second.stop();

    const after = await roomWith(name, []);
    after.work();
    await enqueue(after, settingsDue('b'.repeat(64), { now: NO_ROUTING }, new Date()));
    await idle(after);
    expect(inbox()).toEqual(['web reopened vulnerability medium']);
    expect(await stateOf(after, 'web')).toEqual(['open -']);
  });

  it('that expire open the finding again, with the reason in the alert', async () => {
    const name = 'expired';
    const inbox = createInbox(world, name);
    const expires = Date.now() + 3_000;
    const room = await roomWith(name, [
      { reason: 'until the release', advisory: ADVISORY.id, expires: new Date(expires).toISOString() },
    ]);
    room.work();
    await scan(room, 'web', SOUND);
    const keys = createKeys(room.store.prefix);
    const due = await room.store.redis.zscore(keys.dueTargets, 'web');
    // A slow machine may have judged it after the expiry.
    if (due !== null) {
      expect(Number(due)).toBe(expires);
      expect(inbox()).toEqual([]);
      while (Date.now() <= expires) await room.store.redis.ping();
      // Time for differences between clocks has passed.
      await room.store.redis.zadd(keys.dueTargets, expires - 60_000, 'web');
      await enqueue(room, selectionDue(new Date()));
      await idle(room);
      const [body] = world.services.receiver
        .deliveries()
        .filter(({ path }) => path === `/${name}`)
        .map((delivery) => JSON.parse(delivery.body));
      expect(body.changes).toMatchObject([
        { transition: 'reopened', reason: expect.stringContaining('expired at') },
      ]);
    }
    expect(await room.store.redis.zcard(keys.dueTargets)).toBe(0);
    expect(await stateOf(room, 'web')).toEqual(['open -']);
  });
});

describe('a `.lockhound.yaml` in the payload of a producer', () => {
  it('is stored with the target and applies to later judgements', async () => {
    const name = 'target-file';
    const inbox = createInbox(world, name);
    const room = await world.room(name);
    room.work();
    const own =
      'suppressions: [{ reason: not ours, package: pkg:npm/ms }, { reason: old, rule: deprecated, all: true }]';
    const companions = [{ name: '.lockhound.yaml', content: own }];
    await room.producer.enqueue({
      scan: 'one',
      target: { id: 'web' },
      lockfiles: [
        { path: 'a/package-lock.json', content: SOUND, companions },
        { path: 'b/package-lock.json', content: LOCKFILE },
      ],
    });
    const { findings, unusedSuppressions } = await room.verdict('one');
    await idle(room);
    expect(unusedSuppressions).toEqual([
      { id: 'a/.lockhound.yaml suppressions[1]', reason: 'matches no finding' },
    ]);
    const suppressed = findings.filter((finding) => finding.suppressed !== undefined);
    expect(suppressed.map((finding) => finding.package.name)).toEqual(['ms']);
    expect(inbox().some((line) => line.includes('medium') && line.includes('ms'))).toBe(false);
    await refresh(room);
    expect(inbox()).toEqual([]);

    await room.producer.enqueue({
      scan: 'two',
      target: { id: 'web' },
      lockfiles: [{ path: 'a/package-lock.json', content: SOUND }],
      partial: true,
    });
    await idle(room);
    expect(inbox()).toEqual(['web reopened vulnerability medium']);
  });
});

describe('lockhound ignore', () => {
  /** Numbers of targets that the selections of a worker found. */
  function selections(worker: ReturnType<Room['work']>): readonly number[] {
    const lines = worker.output().matchAll(/"job":"select-targets".*?"targets":([1-9]\d*)/g);
    return [...lines].map(([, count]) => Number(count));
  }

  /** Runs what the schedule of workers starts next. */
  async function select(room: Room): Promise<number> {
    const { watch } = configSchema.parse({});
    const settings = (await room.store.fleet.judgedSettings()) ?? '';
    const schedules = refreshSchedules(room.store, watch, {
      settings,
      routing: NO_ROUTING,
      listedEvery: 0,
      log: pino({ level: 'silent' }),
    });
    const selection = schedules.find(({ name }) => name === 'select-targets');
    const jobs = (await selection?.start(new Date())) ?? [];
    for (const job of jobs) await enqueue(room, job);
    await idle(room);
    return jobs.length;
  }

  it('applies to what is stored, once, and so does its end', async () => {
    const inbox = createInbox(world, 'ignored');
    const room = await world.room('ignored');
    const worker = room.work();
    await scan(room, 'web', SOUND);
    // It has no finding, and is not judged again below.
    await scan(room, 'empty', EMPTY);
    await enqueue(room, settingsDue('a'.repeat(64), { now: NO_ROUTING }, new Date()));
    await idle(room);
    expect(inbox()).toEqual(['web opened vulnerability medium']);
    const added = await room.lockhound(
      ...[
        'ignore',
        'add',
        '--advisory',
        ADVISORY.id,
        '--reason',
        'not reachable',
        '--author',
        'web',
        '--json',
      ],
    );
    expect(added.code).toBe(0);
    const { id } = JSON.parse(added.output);
    expect(await select(room)).toBe(1);
    // The selection that a worker makes when it starts may have found the first target, too.
    expect(selections(worker).slice(-2)).toEqual([2, 1]);
    expect(await stateOf(room, 'web')).toEqual(['open not reachable']);
    expect(await select(room)).toBe(0);
    const listed = JSON.parse((await room.lockhound('ignore', '--json')).output);
    expect(listed.suppressions).toMatchObject([{ id, author: 'web', findings: 1 }]);
    await scan(room, 'api', SOUND);
    expect(inbox()).toEqual([]);

    expect((await room.lockhound('ignore', 'remove', id, '--author', 'api')).code).toBe(0);
    expect(await select(room)).toBe(1);
    expect(inbox()).toEqual(['api reopened vulnerability medium', 'web reopened vulnerability medium']);
  });

  it('of a VEX document is overruled by a later document, and the finding opens again', async () => {
    const inbox = createInbox(world, 'overruled');
    const room = await world.room('overruled');
    room.work();
    await scan(room, 'web', SOUND);
    await enqueue(room, settingsDue('a'.repeat(64), { now: NO_ROUTING }, new Date()));
    await idle(room);
    expect(inbox()).toEqual(['web opened vulnerability medium']);
    const folder = await mkdtemp(join(tmpdir(), 'pipeline-vex-'));
    const importVex = async (id: string, timestamp: string, status: string, product: string) => {
      const document = join(folder, `${id}.json`);
      const statements = [{ vulnerability: { name: ADVISORY.id }, products: [{ '@id': product }], status }];
      const head = { '@context': 'https://openvex.dev/ns/v0.2.0', '@id': id, author: 'web', timestamp };
      await writeFile(document, JSON.stringify({ ...head, statements }));
      const { output } = await room.lockhound('ignore', 'import', document, '--json');
      expect(await select(room)).toBe(1);
      return JSON.parse(output).documents[0];
    };
    const fixed = await importVex('one', '2026-01-01T00:00:00Z', 'fixed', 'pkg:npm/ms');
    expect(fixed).toMatchObject({ applied: 1, overruling: 0 });
    expect(await stateOf(room, 'web')).toEqual(['open fixed']);
    const affected = await importVex('two', '2026-02-01T00:00:00Z', 'affected', 'pkg:npm/ms@2.1.3');
    expect(affected).toMatchObject({ applied: 0, overruling: 1 });
    expect(await stateOf(room, 'web')).toEqual(['open -']);
    expect(inbox()).toEqual(['web reopened vulnerability medium']);
    await rm(folder, { recursive: true });
  });
});
