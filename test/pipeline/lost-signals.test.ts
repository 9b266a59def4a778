import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pipeline, startPipeline } from '../../src/compose/pipeline.ts';
import { loadConfig } from '../../src/config/load.ts';
import { keyOfIdentity } from '../../src/fleet/identity.ts';
import { inspectionsDue } from '../../src/jobs/payloads/inspect-packages.ts';
import { LOGGED_CHANGES } from '../../src/model/stored/catalog.ts';
import { createKeys } from '../../src/store/keys.ts';
import { readValue } from '../../src/store/values/stored-values.ts';
import { type Rewrite, type RewritingProxy, startRewritingProxy, withField } from '../rewriting-proxy.ts';
import { enqueue, idle, scan } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

const HOUR = 3_600_000;
const NAME = 'three-lines';
const IDENTITY = `NPM:${NAME}@1.4.1`;

let world: World;
let proxy: RewritingProxy;

beforeAll(async () => {
  world = await createWorld();
  proxy = await startRewritingProxy(world.services.insights.url);
  const published = (version: string, hours: number) => ({
    version,
    publishedAt: new Date(Date.now() - hours * HOUR).toISOString(),
    dependencies: {},
  });
  const versions = [
    ...['1.4.0', '2.1.0', '3.0.0'].map((version, index) => published(version, 9_000 - 1_000 * index)),
    ...['1.4.1', '2.1.1', '3.0.1'].map((version, index) => published(version, 5 - index / 20)),
  ];
  world.services.insights.putPackage({ system: 'NPM', name: NAME, default: '3.0.1', versions });
});
afterAll(async () => {
  await proxy.close();
  await world.close();
});

function lockfile(version: string): string {
  const packages = { '': { dependencies: { [NAME]: version } }, [`node_modules/${NAME}`]: { version } };
  return JSON.stringify({ name: 'fixture', lockfileVersion: 3, packages });
}

async function startHere(room: Room): Promise<Pipeline> {
  const environment = { LOCKHOUND_INSIGHTS_URL: proxy.url, LOCKHOUND_INSIGHTS_RECORD_TTL: '1ms' };
  return await startPipeline(loadConfig({ environment }), room.store, {
    log: pino({ level: 'silent' }),
    limits: { attempts: 2, backoffMs: 10, maxBackoffMs: 20 },
  });
}

async function changesOf({ store: { redis, prefix } }: Room): Promise<readonly string[]> {
  const key = createKeys(prefix).changes;
  const entries = await redis.xrangeBuffer(key, '-', '+');
  const changes: string[] = [];
  for (const [, fields] of entries as unknown as readonly (readonly [Buffer, readonly Buffer[]])[]) {
    const logged = await readValue(LOGGED_CHANGES, fields[1] ?? '', { key, remedy: '' });
    for (const { transition, rule } of logged.changes) changes.push(`${transition} ${rule}`);
  }
  return changes;
}

let round = 0;

/** Inspects again what is due by a time, as the schedule does. */
async function inspectDue(room: Room, time: number): Promise<readonly string[]> {
  const due = await room.store.inspections.due(time, 100);
  round += 1;
  const keys = due.flatMap(keyOfIdentity);
  for (const job of inspectionsDue(keys, new Date(), `round-${round}`)) await enqueue(room, job);
  await idle(room);
  return due;
}

async function inspected({ store }: Room) {
  const [inspection] = await store.inspections.read([IDENTITY]);
  return {
    signals: inspection?.signals.map(({ signal, grade = '' }) => `${signal} ${grade}`.trim()),
    unknown: inspection?.unknown.map(({ fact }) => fact),
  };
}

const list = (change: Rewrite): Rewrite => {
  return (answer, path) =>
    /\/packages\/[^/]+$/.test(path.split('?')[0] ?? '') ? change(answer, path) : answer;
};
const FAULTS: readonly (readonly [what: string, start: () => void, unknown: readonly string[]])[] = [
  ['drops connections', () => proxy.drop(true), ['releases', 'requirements', 'details']],
  [
    'lost its publication dates',
    () => proxy.rewrite(withField('publishedAt', undefined)),
    ['publication dates'],
  ],
  ['lost the versions of packages', () => proxy.rewrite(list(withField('versions', []))), ['releases']],
  [
    'lists only one version',
    () =>
      proxy.rewrite(
        list((answer) => ({
          ...(answer as object),
          versions: (answer as { versions: readonly { versionKey: { version: string } }[] }).versions.filter(
            ({ versionKey }) => versionKey.version === '1.4.1',
          ),
        })),
      ),
    ['releases', 'publication dates'],
  ],
];

describe.each(FAULTS)('a suspicious release while the index %s', (what, start, unknown) => {
  it('stays open, is inspected again by the clock, and is known again without a scan', async () => {
    const room = await world.room(what.replaceAll(' ', '-'));
    const worker = await startHere(room);
    await scan(room, 'one', lockfile('1.4.0'));
    await scan(room, 'one', lockfile('1.4.1'));
    const opened = await changesOf(room);
    expect(opened).toEqual(['opened suspicious']);
    const known = { signals: ['burst strong', 'fresh-release'], unknown: [] };
    expect(await inspected(room)).toEqual(known);
    start();
    expect(await inspectDue(room, Date.now())).toEqual([IDENTITY]);
    const during = await inspected(room);
    expect(during.signals).toEqual(known.signals);
    expect(during.unknown).toEqual(expect.arrayContaining([...unknown]));
    expect(await changesOf(room)).toEqual(opened);
    proxy.drop(false);
    proxy.rewrite(undefined);
    expect(await inspectDue(room, Date.now() + 1_000)).toEqual([IDENTITY]);
    expect(await inspected(room)).toEqual(known);
    expect(await changesOf(room)).toEqual(opened);
    await worker.close(1_000);
  });
});
