import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPipeline } from '../../src/compose/pipeline.ts';
import { affectedVersions, witnessesOf } from '../../src/insights/losses/witnesses.ts';
import type { NotifierPort } from '../../src/jobs/ports.ts';
import type { Change } from '../../src/model/scan/change.ts';
import type { Claim } from '../../src/model/scan/claim.ts';
import { type RewritingProxy, startRewritingProxy, withField } from '../rewriting-proxy.ts';
import { randomOf } from '../seeded-random.ts';
import { refresh, scan } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

/** A whole database has the versions that are asked to prove that a service has lost nothing. */
const WITNESSES = [
  ...witnessesOf('NPM').map(({ lookUp, states }) => ({ ...lookUp.versionKey, id: states.get('advisories') })),
  ...affectedVersions('NPM').map((key) => ({ ...key, id: undefined })),
].map(({ name, version, id }, at) => ({
  id: id ?? `GHSA-witness-${at}`,
  modified: '2026-01-01T00:00:00Z',
  affected: [{ package: { ecosystem: 'npm', name }, versions: [version] }],
}));

const PACKAGES = ['p0', 'p1', 'p2'];
const LOCKFILE = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: Object.fromEntries(PACKAGES.map((name) => [name, '1.0.0'])) },
    ...Object.fromEntries(PACKAGES.map((name) => [`node_modules/${name}`, { version: '1.0.0' }])),
  },
});
const ROUTE = { name: 'default', mode: 'digest' as const, match: {}, rest: true };
/** One of them is malware. */
const IDS = ['GHSA-0', 'GHSA-1', 'MAL-2', 'GHSA-3', 'GHSA-4', 'GHSA-5'];
const packageOf = (id: string): string => PACKAGES[Number(id.at(-1)) % PACKAGES.length] ?? '';

type ApiState = 'none' | 'unaffected' | 'affected';
type OsvState = ApiState | 'withdrawn';
const API: readonly ApiState[] = ['none', 'unaffected', 'affected', 'affected'];
const OSV: readonly OsvState[] = ['unaffected', 'affected', 'affected', 'withdrawn'];

const folder = mkdtempSync(join(tmpdir(), 'two-sources-'));
const database = join(folder, 'data', 'advisories.sqlite');
let world: World;
let proxy: RewritingProxy;
let room: Room;
const api = new Map<string, ApiState>();
const osv = new Map<string, OsvState>();
let imports = 0;

beforeAll(async () => {
  world = await createWorld();
  proxy = await startRewritingProxy(world.services.insights.url);
  room = await world.room('month', [], { config: [`data: { folder: "${join(folder, 'data')}" }`] });
  for (const name of PACKAGES)
    world.services.insights.putPackage({
      system: 'NPM',
      name,
      versions: [{ version: '1.0.0', publishedAt: '2020-01-01T00:00:00Z', dependencies: {} }],
    });
});
afterAll(async () => {
  await proxy.close();
  await world.close();
  rmSync(folder, { recursive: true });
});

async function importAll(records: readonly object[]): Promise<void> {
  const path = join(folder, 'records.json');
  writeFileSync(path, JSON.stringify(records));
  expect((await room.lockhound('data', 'import', 'osv', path)).code).toBe(0);
}

async function publish(id: string, state: OsvState, modified?: string): Promise<void> {
  imports += 1;
  const versions = [state === 'unaffected' ? '0.1.0' : '1.0.0'];
  const record = {
    id,
    summary: 'Invented',
    modified: modified ?? new Date(Date.UTC(2026, 1, imports)).toISOString(),
    affected: [{ package: { ecosystem: 'npm', name: packageOf(id) }, versions }],
    ...(state === 'withdrawn' ? { withdrawn: '2026-05-20T00:00:00Z' } : {}),
  };
  await importAll([record]);
}

function state(id: string, now: ApiState): void {
  const { insights } = world.services;
  if (now === 'none') insights.withdrawAdvisory(id);
  else {
    const range = now === 'affected' ? '1.0.0' : '0.1.0';
    const affected = [{ system: 'NPM' as const, name: packageOf(id), range }];
    insights.learnAdvisory({ id, title: 'Invented', aliases: [], heldBack: false, affected });
  }
}

/** What both say of an advisory. */
const isOpen = (id: string): boolean => api.get(id) === 'affected' || osv.get(id) === 'affected';
function denialOf(id: string): string | undefined {
  const [byApi, byOsv] = [api.get(id) ?? 'none', osv.get(id) ?? 'none'];
  if (byApi === 'affected' && byOsv !== 'affected' && byOsv !== 'none') return `osv ${byOsv}`;
  return byOsv === 'affected' && byApi === 'unaffected' ? `api ${byApi}` : undefined;
}

/** Faults of the service: it is away, lacks everything, states no advisories, or does not have them. */
const SILENT: readonly (() => void)[] = [
  () => proxy.drop(true),
  () =>
    proxy.respond((_, outgoing) => {
      outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{"code":5,"message":"not found"}');
      return true;
    }),
  () => proxy.respond((_, outgoing) => Boolean(outgoing.writeHead(200).end('<html>sign in</html>'))),
  () => proxy.rewrite(withField('result', undefined)),
  () => proxy.rewrite(withField('advisoryKeys', [])),
];

function heal(): void {
  proxy.drop(false);
  proxy.respond(undefined);
  proxy.rewrite(undefined);
}

/** What the receiver knows: the alerts that are open, with the denials that it was told of each. */
function createReceiver() {
  const open = new Map<string, Set<string>>();
  const delivered: Change[] = [];
  const port: NotifierPort = {
    async deliver(route, read) {
      const { id, changes } = await read();
      delivered.push(...changes);
      return { kind: 'delivered', receipt: { id, route, status: 200, answer: 'ok' } };
    },
  };
  return {
    open,
    port,
    /** Reads what it got on a day; `isSilent`: the service said nothing. Fails when an alert comes twice or says what is not so. */
    read(isSilent: boolean): void {
      for (const { transition, finding } of delivered.splice(0)) {
        const id = finding.advisory?.id ?? finding.rule;
        const what = `${transition} ${id}: ${api.get(id)}, ${osv.get(id)}, ${isSilent ? 'silent' : 'sound'}`;
        const denials = (finding.disputed ?? []).flatMap(({ source, says }) =>
          says === 'affected' ? [] : `${source} ${says}`,
        );
        const told = open.get(id);
        expect(told !== undefined, what).toBe(transition === 'resolved' || transition === 'disputed');
        if (transition === 'resolved') {
          expect(isOpen(id) || isSilent, what).toBe(false);
          open.delete(id);
          continue;
        }
        expect(isOpen(id), what).toBe(true);
        const news = denials.filter((one) => told?.has(one) !== true);
        if (transition === 'disputed') expect(news.length, what).toBeGreaterThan(0);
        open.set(id, new Set([...(told ?? []), ...denials]));
      }
    },
  };
}

async function openFindings(): Promise<ReadonlyMap<string, readonly Claim[] | undefined>> {
  const { findings } = JSON.parse((await room.lockhound('findings', '--target', 'web', '--json')).output) as {
    findings: readonly { finding: { advisory: { id: string }; disputed?: readonly Claim[] } }[];
  };
  return new Map(findings.map(({ finding }) => [finding.advisory.id, finding.disputed]));
}

it('a month with two sources, one of them lying or away by turns, ends with the truth, told once', async () => {
  const random = randomOf('TWO_SOURCES_SEED');
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const receiver = createReceiver();
  await importAll(WITNESSES);
  const pipeline = await startPipeline(
    room.load({ LOCKHOUND_INSIGHTS_SOURCES: 'api,osv', LOCKHOUND_INSIGHTS_URL: proxy.url }),
    room.store,
    {
      log: pino({ level: 'silent' }),
      limits: { attempts: 2, backoffMs: 10, maxBackoffMs: 20 },
      notifier: { portOf: () => receiver.port, routing: { take: 'all', firstScan: 'all', rules: [ROUTE] } },
    },
  );
  await scan(room, 'web', LOCKFILE);
  for (let day = 0; day < 30; day += 1) {
    const id = pick(IDS);
    const isOfApi = random() < 0.5;
    if (isOfApi) {
      api.set(id, pick(API));
      state(id, api.get(id) ?? 'none');
    } else {
      osv.set(id, pick(OSV));
      await publish(id, osv.get(id) ?? 'unaffected');
    }
    // A copy of yesterday's records, which are older, changes nothing.
    const known = IDS.filter((one) => osv.has(one));
    if (known.length > 0 && random() < 0.2) await publish(pick(known), 'withdrawn', '2026-01-02T00:00:00Z');
    const fault = random();
    const isSilent = fault < 0.4;
    if (isSilent) pick(SILENT)();
    // A record that nobody read before the file was lost is not known.
    const isLost = fault > 0.8 && isOfApi;
    if (isLost) renameSync(database, `${database}.away`);
    await refresh(room);
    if (random() < 0.3) await scan(room, 'web', LOCKFILE);
    receiver.read(isSilent);
    heal();
    if (isLost) renameSync(`${database}.away`, database);
  }
  for (let time = 0; time < 3; time += 1) await refresh(room);
  receiver.read(false);
  const expected = IDS.filter(isOpen).sort();
  expect([...receiver.open.keys()].sort()).toEqual(expected);
  const found = await openFindings();
  expect([...found.keys()].sort()).toEqual(expected);
  for (const id of expected) {
    const denial = denialOf(id);
    const claims = found
      .get(id)
      ?.flatMap(({ source, says }) => (says === 'affected' ? [] : `${source} ${says}`));
    expect(claims, id).toEqual(denial === undefined ? undefined : [denial]);
    if (denial !== undefined) expect(receiver.open.get(id), id).toContain(denial);
  }
  await pipeline.close(1_000);
});
