import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Pipeline, startPipeline } from '../../src/compose/pipeline.ts';
import { type Fault, htmlAnswer, tooManyRequests } from '../../src/embedded/faults.ts';
import type { IndexedVersion } from '../../src/embedded/insights/data-set.ts';
import { keyOfIdentity } from '../../src/fleet/identity.ts';
import { inspectionsDue } from '../../src/jobs/payloads/inspect-packages.ts';
import { FLEET_TARGET, freshnessDue } from '../../src/jobs/refresh/check-freshness.ts';
import { refreshDue } from '../../src/jobs/refresh/refresh-fleet.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import { factsProblem } from '../../src/server/verdict/facts.ts';
import {
  type Respond,
  type Rewrite,
  type RewritingProxy,
  startRewritingProxy,
  withField,
} from '../rewriting-proxy.ts';
import { until } from '../until.ts';
import { enqueue, idle, refresh, scan } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TIMEOUT_MS = 1_000;

let world: World;
let proxy: RewritingProxy;
let room: Room;
let worker: Pipeline;
/** The findings before the faults. */
let before: Awaited<ReturnType<typeof known>>;
/** The requests of a step without a fault. */
const usual = { refresh: 0, scan: 0 };

const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

function put(name: string, versions: readonly (Partial<IndexedVersion> & { version: string })[]): void {
  world.services.insights.putPackage({
    system: 'NPM',
    name,
    default: versions.at(-1)?.version,
    versions: versions.map((one, index) => ({
      publishedAt: ago(9_000 - 100 * index),
      dependencies: {},
      ...one,
    })),
  });
}

function lockfile(packages: Readonly<Record<string, string>>): string {
  const locked = Object.entries(packages).map(([name, version]) => [`node_modules/${name}`, { version }]);
  return JSON.stringify({
    name: 'fixture',
    lockfileVersion: 3,
    packages: { '': { dependencies: packages }, ...Object.fromEntries(locked) },
  });
}

const OLD = { lodash: '4.17.21', 'three-lines': '1.4.0', relicensed: '1.0.0', gone: '1.0.0' };
/** Each package violates another rule. */
const LOCKED = {
  lodash: '4.17.20',
  request: '2.88.2',
  minimist: '1.2.5',
  'three-lines': '1.4.1',
  relicensed: '1.1.0',
  gone: '1.0.0',
  'never-indexed': '1.0.0',
  ms: '2.1.3',
};
const RULES = [
  'vulnerability',
  'deprecated',
  'licenses',
  'license-changed',
  'suspicious',
  'unindexed',
  'vanished',
];

beforeAll(async () => {
  world = await createWorld();
  proxy = await startRewritingProxy(world.services.insights.url);
  const attestations = [
    {
      type: 'https://slsa.dev/provenance/v1',
      url: '',
      verified: true,
      sourceRepository: 'https://github.com/acme/three-lines',
      commit: 'c0ffee',
    },
  ];
  put('three-lines', [
    ...['1.4.0', '2.1.0', '3.0.0'].map((version) => ({ version, attestations })),
    ...['1.4.1', '2.1.1', '3.0.1'].map((version, index) => ({ version, publishedAt: ago(5 - index / 20) })),
  ]);
  put('relicensed', [
    { version: '1.0.0', license: 'MIT' },
    { version: '1.1.0', license: 'GPL-3.0-only' },
  ]);
  put('gone', [{ version: '1.0.0' }]);
  const rules = 'rules: { deprecated: { level: alert }, license-changed: { level: note } }';
  room = await world.room('blind', [], {
    config: [`policy: { ${rules}, licenses: { deny: [Apache-2.0] }, unindexedAfter: 3650d }`],
  });
  const loaded = room.load({
    LOCKHOUND_INSIGHTS_URL: proxy.url,
    LOCKHOUND_INSIGHTS_TIMEOUT: `${TIMEOUT_MS}ms`,
    LOCKHOUND_INSIGHTS_RECORD_TTL: '1ms',
  });
  worker = await startPipeline(loaded, room.store, {
    log: pino({ level: 'silent' }),
    limits: { attempts: 2, backoffMs: 10, maxBackoffMs: 20 },
  });
  await scan(room, 'one', lockfile(OLD));
  await scan(room, 'one', lockfile(LOCKED));
  put('gone', []);
  await refresh(room);
  usual.refresh = await requestsOf(() => refresh(room));
  usual.scan = await requestsOf(() => scan(room, 'one', lockfile(LOCKED)));
  // Signals are known when each version has been inspected.
  await inspect();
  before = await known();
});
afterEach(() => {
  world.services.insights.faults.clear();
  proxy.drop(false);
  proxy.rewrite(undefined);
  proxy.respond(undefined);
});
afterAll(async () => {
  await worker.close(1_000);
  await proxy.close();
  await world.close();
});

async function requestsOf(step: () => Promise<unknown>): Promise<number> {
  const from = proxy.requests();
  await step();
  return proxy.requests() - from;
}

function unreadable(error: unknown): never {
  throw error;
}

async function stateOf(target: string): Promise<TargetState | undefined> {
  for await (const [, state] of room.store.targets.each([target], unreadable)) return state;
  return undefined;
}

function openIn(state: TargetState | undefined): readonly string[] {
  const open = state?.findings.filter(({ status }) => status === 'open') ?? [];
  return open.map(({ finding }) => `${finding.rule} ${finding.package.name} ${finding.severity}`).sort();
}

async function known() {
  const state = await stateOf('one');
  return { open: openIn(state), all: state?.findings.length, incomplete: state?.incomplete };
}

/** Returns what an operator is told, when answers before a time in ms count as stale. */
async function told(time: number) {
  const { fleet } = room.store;
  const staleAfterMs = Date.now() - time;
  const last = await fleet.lastRefresh('all');
  const freshness = await fleet.freshness(staleAfterMs);
  const state = await stateOf(FLEET_TARGET.id);
  const [job] = freshnessDue(freshness, { state, last }, new Date());
  if (job !== undefined) {
    await enqueue(room, job);
    await room.outcome(job.job, job.key);
  }
  return {
    health: factsProblem(freshness, last, { staleAfterMs, now: Date.now() }),
    targets: [...freshness.staleTargets],
    alert: openIn(await stateOf(FLEET_TARGET.id)),
  };
}

let round = 0;

/** Inspects again what is due, as the schedule does. */
async function inspect(): Promise<void> {
  round += 1;
  const due = await room.store.inspections.due(Date.now() + DAY, 100);
  for (const job of inspectionsDue(due.flatMap(keyOfIdentity), new Date(), `blind-${round}`)) {
    await enqueue(room, job);
  }
  await idle(room);
}

const always = (fault: Fault) => () => world.services.insights.faults.inject(fault, { times: 1_000_000 });
const answers = (status: number, body: string, type = 'text/plain') =>
  always({ kind: 'answer', status, body, headers: { 'content-type': type } });
const json = (value: unknown) => answers(200, JSON.stringify(value), 'application/json');
const rewrites = (change: Rewrite) => () => proxy.rewrite(change);

const responds = (respond: Respond) => () => proxy.respond(respond);

/** Answers requests for a path in place of the service. */
const onPath =
  (pattern: RegExp, status: number, body: string): Respond =>
  (incoming, outgoing) => {
    if (!pattern.test(incoming.url ?? '')) return false;
    incoming.resume();
    outgoing.writeHead(status, { 'content-type': 'text/plain' }).end(body);
    return true;
  };

/** Sends the beginning of an answer, and then breaks the connection. */
const reset: Respond = (incoming, outgoing) => {
  incoming.resume().on('end', () => {
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
    outgoing.write('{"responses":[', () => outgoing.destroy());
  });
  return true;
};

/** Changes what is stated of some versions. */
const versions =
  (change: (version: Stated) => Partial<Stated>): Rewrite =>
  (answer) =>
    JSON.parse(JSON.stringify(answer), (_key, value) =>
      value?.versionKey?.version !== undefined && value.advisoryKeys !== undefined
        ? { ...value, ...change(value) }
        : value,
    ) as unknown;

interface Stated {
  readonly versionKey: { readonly name: string };
  readonly advisoryKeys?: readonly unknown[];
  readonly isDeprecated?: boolean;
  readonly licenses?: readonly string[];
  readonly publishedAt?: string | undefined;
}
const EMPTY: Partial<Stated> = {
  advisoryKeys: [],
  isDeprecated: false,
  licenses: [],
  publishedAt: undefined,
};

/** Changes the list of answers of each batch. */
const batches =
  (change: (responses: readonly unknown[]) => readonly unknown[]): Rewrite =>
  (answer) => {
    const { responses } = answer as { readonly responses?: readonly unknown[] };
    return responses === undefined ? answer : { ...(answer as object), responses: change(responses) };
  };

/** The faults of a service that answers nothing. Statuses that mean the same are in `test/insights/operations.test.ts`. */
const OUTAGES: Readonly<Record<string, () => void>> = {
  '400 to everything': answers(400, 'invalid request'),
  '401': answers(401, 'key expired'),
  '404 in plain text': answers(404, 'not found'),
  '404 of each object': answers(404, 'version not found'),
  'no content': answers(204, ''),
  'another encoding': always({
    kind: 'answer',
    status: 200,
    body: 'garbage',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  }),
  'connections that are reset in the middle': responds(reset),
  '500': answers(500, 'internal error'),
  'a redirection': always({ kind: 'answer', status: 302, headers: { location: '/sign-in' } }),
  'connections that hang': always({ kind: 'hang' }),
  'connections that drop': () => proxy.drop(true),
  'an HTML page': always(htmlAnswer()),
  'an empty object': json({}),
  'another schema': json({ items: [] }),
  'a list of empty answers': rewrites(batches((responses) => responses.map(() => ({})))),
  'a list of other answers': rewrites(batches((responses) => responses.map(() => ({ id: 1 })))),
  'the answers to other requests': rewrites(batches((all) => [...all.slice(1), ...all.slice(0, 1)])),
  'answers in another order': rewrites(batches((all) => all.toReversed())),
  'one answer to all requests': rewrites(batches((all) => all.map(() => all[0]))),
  'tokens of pages that are empty': json({ responses: [], nextPageToken: 'next' }),
  'half of each batch': rewrites(batches((all) => all.slice(0, Math.floor(all.length / 2)))),
};

/** Another vector, and its score. */
function scored(vector: string): Rewrite {
  return (answer) => withField('cvss3Score', 0)(withField('cvss3Vector', vector)(answer, ''), '');
}

/** Answers come, and state less. `isDoubted`: the facts that the refresh looks up are among what is lost. */
const LOSSES: readonly (readonly [what: string, start: () => void, isDoubted: boolean])[] = [
  ['versions', rewrites(withField('result', undefined)), true],
  ['advisories', rewrites(withField('advisoryKeys', [])), true],
  ['publication dates', rewrites(withField('publishedAt', undefined)), true],
  ['licences', rewrites(withField('licenses', [])), true],
  ['deprecations', rewrites(withField('isDeprecated', false)), true],
  ['the form of dates', rewrites(withField('publishedAt', 'yesterday')), true],
  ['the names of licences', rewrites(withField('licenses', ['non-standard'])), true],
  ['the texts of licences', rewrites(withField('licenses', [''])), true],
  ['verified provenance', rewrites(withField('verified', false)), false],
  ['high scores', rewrites(scored('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N')), true],
  ['other names of advisories', rewrites(withField('aliases', ['CVE-1999-0001'])), true],
  ['records of advisories', responds(onPath(/\/advisories\//, 404, 'advisory not found')), true],
  ['advisories, which it refuses', responds(onPath(/\/advisories\//, 400, 'bad request')), true],
  ['lists of versions', responds(onPath(/\/packages\/[^/]*$/, 404, 'package not found')), false],
  [
    'facts about half of the packages',
    rewrites(versions(({ versionKey }) => (versionKey.name < 'mm' ? EMPTY : {}))),
    true,
  ],
  [
    'facts about the other half',
    rewrites(versions(({ versionKey }) => (versionKey.name < 'mm' ? {} : EMPTY))),
    true,
  ],
  ['provenance', rewrites(withField('attestations', [])), false],
];

it('has an open finding of each rule', () => {
  expect(before.open.map((one) => one.split(' ')[0])).toEqual(expect.arrayContaining([...RULES]));
  expect(before.incomplete).toBe(false);
});

/** A refresh during a fault resolves nothing. */
async function refreshInVain(): Promise<void> {
  await refresh(room);
  expect((await known()).open).toEqual(before.open);
}

/** After the first refresh of a fault: another one, an inspection and a scan resolve nothing and send few requests. */
async function endure(): Promise<void> {
  expect(await requestsOf(refreshInVain)).toBeLessThanOrEqual(2 * usual.refresh);
  await inspect();
  expect(await requestsOf(() => scan(room, 'one', lockfile(LOCKED)))).toBeLessThanOrEqual(2 * usual.scan);
  expect(await known()).toMatchObject({ open: before.open, all: before.all });
}

/** After a fault: a refresh brings everything back. On a busy machine one of its requests may take too long, so it has a second chance. */
async function recover(start: number): Promise<void> {
  world.services.insights.faults.clear();
  proxy.drop(false);
  proxy.rewrite(undefined);
  proxy.respond(undefined);
  for (let again = 0; again === 0 || (again < 3 && (await told(start)).health !== undefined); again += 1) {
    await refresh(room);
    await inspect();
  }
  expect(await known()).toEqual(before);
  expect(await told(start)).toEqual({ health: undefined, targets: [], alert: [] });
}

describe.each(Object.entries(OUTAGES))('an index that answers with %s', (_what, start) => {
  it('makes nothing fresh and resolves nothing, and an operator is told', async () => {
    const began = Date.now();
    start();
    // For a short time: the answers before it are not stale yet.
    await refreshInVain();
    expect(await told(0)).toMatchObject({ health: { verdict: 'degraded' }, targets: [], alert: [] });
    await endure();
    expect(await told(began)).toEqual({
      health: expect.objectContaining({ verdict: 'broken' }),
      targets: ['one'],
      alert: ['stale-facts package-insights high'],
    });
    await recover(began);
  });
});

describe.each(LOSSES)('an index that loses its %s', (_what, start, isDoubted) => {
  it('makes nothing of it fresh and resolves nothing, and an operator is told', async () => {
    const began = Date.now();
    start();
    await refreshInVain();
    if (isDoubted) expect(await told(0)).toMatchObject({ health: { verdict: 'degraded' }, alert: [] });
    await endure();
    if (isDoubted) {
      expect(await told(began)).toEqual({
        health: expect.objectContaining({ verdict: 'broken' }),
        targets: ['one'],
        alert: ['stale-facts package-insights high'],
      });
    }
    await recover(began);
  });
});

it.each([1, 0, -5, 'soon'])(
  'an index that answers with 429, Retry-After %s, gets few requests until it answers again, and an operator is told',
  async (retryAfter) => {
    const began = Date.now();
    always(tooManyRequests(retryAfter))();
    const requests = await requestsOf(async () => {
      // It waits as long as the service asks for, and does not end.
      await enqueue(room, refreshDue('all', new Date()));
      await until('a look-up is not answered', async () => (await told(0)).health?.verdict === 'degraded');
      await until('the facts are out of date', async () => (await told(began)).health?.verdict === 'broken');
    });
    expect(requests).toBeLessThanOrEqual(2 * usual.refresh);
    expect(await told(began)).toMatchObject({
      targets: ['one'],
      alert: ['stale-facts package-insights high'],
    });
    expect(await known()).toEqual(before);
    world.services.insights.faults.clear();
    await idle(room);
    await recover(began);
  },
);

it('answers that are slow are answers', async () => {
  const began = Date.now();
  world.services.insights.faults.latencyMs = TIMEOUT_MS / 20;
  await refreshInVain();
  await endure();
  expect(await told(began)).toEqual({ health: undefined, targets: [], alert: [] });
  await recover(began);
});
