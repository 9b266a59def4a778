import { describe, expect, it } from 'vitest';
import { collectAdvisories } from '../../src/jobs/collect-advisories.ts';
import { expandDependencies } from '../../src/jobs/expand-dependencies.ts';
import { ingestLockfiles, scanFollowUps } from '../../src/jobs/ingest-lockfiles.ts';
import { judgeScan } from '../../src/jobs/judge-scan.ts';
import { lookUpExceptions } from '../../src/jobs/look-up-exceptions.ts';
import type { DependencyGraph } from '../../src/model/lockfile/dependency-graph.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import type { TargetChange } from '../../src/model/queue/outcome.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { Advisory } from '../../src/model/scan/inventory.ts';
import { IncompleteError } from '../../src/scan/attempt.ts';
import { affected, context, FakeError, inventory, locked, ports, unchecked } from './facts.ts';

const header = { scan: 's', target: { id: 't', labels: {} }, requestedAt: '2026-01-02T00:00:00Z' };
const advisory: Advisory = {
  id: 'GHSA-1',
  url: 'https://osv.dev/1',
  title: 'one',
  aliases: ['CVE-1'],
  score: 7.5,
};
const graph: DependencyGraph = {
  nodes: [
    { versionKey: { system: 'PYPI', name: 'top', version: '1.0.0' }, relation: 'SELF' },
    { versionKey: { system: 'PYPI', name: 'below', version: '1.0.0' }, relation: 'DIRECT' },
  ],
  edges: [{ from: 0, to: 1 }],
  errors: [],
};

describe('the flow after an inventory', () => {
  it('fetches each advisory once, in parts, and graphs for lockfiles without edges', async () => {
    const ids = Array.from({ length: 120 }, (_, index) => `GHSA-${index}`);
    const flow = await scanFollowUps(
      header,
      inventory([locked('top', { direct: true }), affected('below', ids)]),
      ids,
      0,
    );
    expect(flow.payload).toMatchObject({ dividedAt: 0, advisoryParts: 3, expansionParts: 1 });
    const children = flow.children ?? [];
    expect(children.map(({ job }) => job)).toEqual([
      ...Array(3).fill('collect-advisories'),
      'expand-dependencies',
    ]);
    const asked = children.slice(0, 3).flatMap(({ payload }) => (payload as { ids: string[] }).ids);
    expect(asked.toSorted()).toEqual(ids.toSorted());
    expect(children[3]?.payload).toMatchObject({ scan: 's', dividedAt: 0, part: 0 });
  });

  it('fetches many advisories in larger parts, not in more parts', async () => {
    const ids = Array.from({ length: 60_000 }, (_, index) => `GHSA-${index}`);
    const { payload, children = [] } = await scanFollowUps(
      header,
      inventory([affected('below', ids)]),
      ids,
      0,
    );
    expect(payload).toMatchObject({ advisoryParts: 500 });
    const asked = children.flatMap((child) => (child.payload as { ids?: string[] }).ids ?? []);
    expect(new Set(asked)).toEqual(new Set(ids));
  });

  it('fetches no graph for lockfiles with edges or without findings', async () => {
    const withEdges = inventory([affected('below', ['GHSA-1'], { dependencies: [] })]);
    expect((await scanFollowUps(header, withEdges, ['GHSA-1'], 0)).payload).toMatchObject({
      expansionParts: 0,
    });
    const gone = { outcome: 'missing' as const, reason: 'not there' };
    const lacking = inventory([locked('top', { direct: true }), locked('below', { resolution: gone })]);
    expect((await scanFollowUps(header, lacking, [], 0)).payload).toMatchObject({
      dividedAt: 0,
      advisoryParts: 0,
      expansionParts: 1,
    });
    expect((await scanFollowUps(header, inventory([locked('top')]), [], 0)).payload).toMatchObject({
      dividedAt: 0,
      advisoryParts: 0,
      expansionParts: 0,
    });
  });
});

describe('children', () => {
  const payload = { scan: 's', dividedAt: 0, part: 0, ids: ['GHSA-1', 'GHSA-2', 'GHSA-3'] };
  const asked = ports({
    insights: {
      advisory: async (id) => {
        if (id === 'GHSA-2') throw new FakeError('fake', 'away', { retryable: true, retryAfterMs: 5_000 });
        return id === 'GHSA-1' ? advisory : undefined;
      },
    },
  });

  it('are retried until the last attempt, after the wait that the service requested', async () => {
    const failure = await collectAdvisories.run(payload, asked, context()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(IncompleteError);
    expect(failure).toMatchObject({ code: 'insights-partial', retryable: true, retryAfterMs: 5_000 });
  });

  it('return a partial result on the last attempt', async () => {
    const { result, next } = await collectAdvisories.run(payload, asked, context(true));
    expect(next).toEqual([]);
    expect(result.advisories).toEqual([advisory]);
    expect(result.failed.map(({ id }) => id)).toEqual(['GHSA-3', 'GHSA-2']);
  });

  it('lose only the item with an unexpected error, and only on the last attempt', async () => {
    const faulty = ports({
      insights: {
        advisory: async (id) => {
          if (id === 'GHSA-2') throw new TypeError('x is not a function');
          return { ...advisory, id };
        },
      },
    });
    await expect(collectAdvisories.run(payload, faulty, context())).rejects.toMatchObject({
      code: 'insights-partial',
      retryable: true,
      message: 'advisory GHSA-2: unexpected error: x is not a function',
    });
    const { result } = await collectAdvisories.run(payload, faulty, context(true));
    expect(result.advisories.map(({ id }) => id)).toEqual(['GHSA-1', 'GHSA-3']);
    expect(result.failed).toEqual([{ id: 'GHSA-2', reason: 'unexpected error: x is not a function' }]);
  });

  it('warn of advisories that are missing or could not be read completely', () => {
    const half = { ...advisory, problems: ['no CVSS score: 98'] };
    const failed = [{ id: 'GHSA-2', reason: 'away' }];
    expect(collectAdvisories.log?.(payload, { advisories: [advisory, half], failed })).toMatchObject({
      facts: { advisories: 2, gaps: 2 },
      warning: expect.any(String),
    });
    expect(collectAdvisories.log?.(payload, { advisories: [advisory], failed: [] }).warning).toBeUndefined();
  });

  it('fetch graphs; one that is not computed is no failure', async () => {
    const keys = ['top', 'other'].map((name) => ({ system: 'PYPI' as const, name, version: '1.0.0' }));
    const { result } = await expandDependencies.run(
      { scan: 's', dividedAt: 0, part: 0, versionKeys: keys },
      ports({ insights: { dependencies: async ({ name }) => (name === 'top' ? graph : undefined) } }),
      context(),
    );
    expect(result).toEqual({ graphs: [{ versionKey: keys[0], graph }], failed: [] });
  });
});

describe('judge-scan', () => {
  const payload = { ...header, dividedAt: 0, advisoryParts: 1, expansionParts: 1 };
  const outcomes = new Map<string, unknown>([
    ['ingest-lockfiles/s', inventory([locked('top', { direct: true }), affected('below', ['GHSA-1'])])],
    ['collect-advisories/s.0.0', { advisories: [advisory], failed: [] }],
    [
      'expand-dependencies/s.0.0',
      { graphs: [{ versionKey: graph.nodes[0]?.versionKey, graph }], failed: [] },
    ],
  ]);

  it('finds the path through the fetched graph, opens the finding and sends it to every route', async () => {
    const { result, next, state } = await judgeScan.run(
      payload,
      ports({ outcomes, routes: ['a', 'b'] }),
      context(),
    );
    expect(result.findings).toMatchObject([
      { severity: 'high', locations: [{ dependencyPath: ['top@1.0.0', 'below@1.0.0'] }] },
    ]);
    expect(result.changes).toMatchObject([{ transition: 'opened' }]);
    expect(next.map(({ payload: one }) => one)).toMatchObject([
      { scan: 's', target: 't', route: 'a', requestedAt: header.requestedAt },
      { scan: 's', target: 't', route: 'b', requestedAt: header.requestedAt },
    ]);
    expect(state).toMatchObject({ target: 't', replaces: 0, state: { scan: 's' } });
  });

  it('has the exceptions of its lockfiles looked up afterwards', async () => {
    const content = JSON.stringify({
      lockfileVersion: 3,
      packages: { 'node_modules/a': { version: '1.0.0' } },
    });
    const manifest = { name: 'package.json', content: JSON.stringify({ overrides: { a: '1.0.0' } }) };
    const lockfiles = [
      { path: 'package-lock.json', content, companions: [manifest] },
      { path: 'other/package-lock.json', content },
    ];
    const resolve = async (packages: readonly unknown[]) => ({
      resolutions: packages.map(() => ({ outcome: 'missing' as const })),
      retryable: false,
    });
    const asked = ports({ insights: { resolve } });
    const { result, next } = await ingestLockfiles.run({ ...header, lockfiles }, asked, context());
    expect(next.map(({ job }) => job)).toEqual(['judge-scan']);
    const judged = await judgeScan.run(
      next[0]?.payload as Parameters<typeof judgeScan.run>[0],
      ports({ outcomes: new Map<string, unknown>([['ingest-lockfiles/s', result]]) }),
      context(),
    );
    expect(judged.next).toMatchObject([
      { job: 'look-up-exceptions', key: 's', payload: { ...header, lockfiles: lockfiles.slice(0, 1) } },
    ]);
    const partial = await ingestLockfiles.run({ ...header, lockfiles, partial: true }, asked, context());
    expect(partial.next).toMatchObject([{ payload: { partial: true } }]);
    expect(partial.next[0]?.payload).not.toHaveProperty('lookUps');
  });

  it('has them looked up with the labels that the target has then', async () => {
    const content = `lockfileVersion: '9.0'
overrides: { held: 1.0.0 }
importers: { .: { dependencies: { needs: { specifier: ^1.0.0, version: 1.0.0 } } } }
packages: { needs@1.0.0: { resolution: { integrity: sha512-a } }, held@1.0.0: { resolution: { integrity: sha512-b } } }
snapshots: { needs@1.0.0: { dependencies: { held: 1.0.0 } }, held@1.0.0: {} }
`;
    const companions = [
      { name: 'package.json', content: '{ "dependencies": { "needs": "^1.0.0" } }' },
      { name: 'pnpm-workspace.yaml', content: 'overrides:\n  held: 1.0.0\n' },
    ];
    const lockfiles = [{ path: 'pnpm-lock.yaml', content, companions }];
    const resolve = async (packages: readonly LockedPackage[]) => ({
      resolutions: packages.map(({ name, version }) => {
        const versionKey = { system: 'NPM' as const, name, version };
        const record = { versionKey, isDefault: true, isDeprecated: false, licenses: [], advisoryIds: [] };
        return { outcome: 'resolved' as const, record };
      }),
      retryable: false,
    });
    const ingested = await ingestLockfiles.run(
      { ...header, lockfiles },
      ports({ insights: { resolve } }),
      context(),
    );
    const judged = await judgeScan.run(
      ingested.next[0]?.payload as Parameters<typeof judgeScan.run>[0],
      ports({ outcomes: new Map<string, unknown>([['ingest-lockfiles/s', ingested.result]]) }),
      context(),
    );
    const { state, lockfiles: change } = judged.state as TargetChange & { readonly state: TargetState };
    const files = (change?.read ?? []).map(({ path, sha256, exceptions = [] }) => {
      return { path, sha256, exceptions: [...exceptions] };
    });
    const labels = { team: 'later' };
    const proven = await lookUpExceptions.run(
      judged.next[0]?.payload as Parameters<typeof lookUpExceptions.run>[0],
      ports({
        state: { ...state, lockfiles: files },
        insights: {
          resolve,
          requirements: async ({ name }) =>
            name === 'needs' ? [{ name: 'held', requirement: '^1.0.0', isConditional: false }] : [],
          publishedVersions: async () => ({
            versions: [{ version: '1.0.0', isDefault: true, isDeprecated: false }],
          }),
        },
        fleet: { summary: async () => ({ labels }) as never, waitingScans: async () => 0 },
      }),
      context(),
    );
    expect(proven).toMatchObject({ result: { open: 1, proven: 1 }, state: { summary: { labels } } });
  });

  it('is not superseded by a scan that could not read its lockfile', async () => {
    const read = inventory([locked('top', { direct: true }), affected('below', ['GHSA-1'])]);
    const unread = { path: 'package-lock.json', error: { code: 'malformed', message: 'm' } };
    const judge = async (scan: string, requestedAt: string, result: object, state?: TargetState) =>
      await judgeScan.run(
        { ...payload, scan, requestedAt },
        ports({
          ...(state && { state }),
          outcomes: new Map<string, unknown>([
            [`ingest-lockfiles/${scan}`, result],
            [`collect-advisories/${scan}.0.0`, { advisories: [advisory], failed: [] }],
          ]),
        }),
        context(),
      );
    const later = await judge('s2', '1969-01-02T00:00:02Z', { lockfiles: [], unread: [unread] });
    const state = later.state !== undefined && 'state' in later.state ? later.state.state : undefined;
    expect(state).toMatchObject({ requestedAt: '1969-01-02T00:00:02Z', incomplete: true });
    const { result } = await judge('s1', '1969-01-02T00:00:01Z', read, state);
    expect(result).toMatchObject({ superseded: false, changes: [{ transition: 'opened' }] });
  });

  it('reports notes, and sends them to no route', async () => {
    const resolution = { outcome: 'missing' as const, reason: 'the index has no such version' };
    const lacking = new Map<string, unknown>([
      ['ingest-lockfiles/s', inventory([locked('new', { direct: true, resolution })])],
    ]);
    const run = await judgeScan.run(
      { ...header, dividedAt: 0, advisoryParts: 0, expansionParts: 0 },
      ports({ outcomes: lacking, routes: ['a'] }),
      context(),
    );
    expect(run.result.findings).toMatchObject([{ rule: 'unindexed', level: 'note' }]);
    expect(run.result.counts).toMatchObject({ severities: { medium: 0 }, notes: 1 });
    expect(run.result.open).toMatchObject({ medium: 0 });
    expect(run.next).toEqual([]);
  });

  it('sends changes individually or stores them for a digest, depending on the route', async () => {
    const given = ports({ outcomes });
    const rules = (['change', 'periodic'] as const).map((mode) => ({
      name: mode,
      mode,
      match: {},
      rest: false,
    }));
    const routing = { routing: () => ({ take: 'all' as const, firstScan: 'all' as const, rules }) };
    const { result, next, state } = await judgeScan.run(payload, { ...given, routing }, context());
    expect(result.routed).toEqual({ change: [0], periodic: [0] });
    expect(next.map(({ payload: one }) => one)).toMatchObject([
      { scan: 's', target: 't', route: 'change', requestedAt: header.requestedAt, change: 0 },
    ]);
    expect(state).toMatchObject({
      digests: [
        { route: 'periodic', entry: { scan: 's', target: { id: 't' }, changes: [{ transition: 'opened' }] } },
      ],
    });
  });

  it('reads the advisories that no child fetched, and counts those that the service does not have', async () => {
    const given = new Map(outcomes);
    given.set('ingest-lockfiles/s', inventory([affected('below', ['GHSA-1', 'GHSA-2', 'GHSA-3'])]));
    const asked: string[] = [];
    const insights = {
      advisory: async (id: string) => {
        asked.push(id);
        return id === 'GHSA-2' ? { ...advisory, id, title: 'Another', aliases: [] } : undefined;
      },
    };
    const { result } = await judgeScan.run(payload, ports({ outcomes: given, insights }), context());
    expect(asked).toEqual(['GHSA-2', 'GHSA-3']);
    expect(result.findings.map((one) => one.advisory?.id).sort()).toEqual(['GHSA-1', 'GHSA-2', 'GHSA-3']);
    expect(result.gaps).toEqual([
      { kind: 'advisory', subject: 'GHSA-3', reason: 'the service has no advisory of this id' },
    ]);
  });

  it('records an advisory that is missing, and has one that another scan stored meanwhile', async () => {
    const missed: string[] = [];
    const given = ports({ outcomes: new Map([...outcomes].filter(([key]) => !key.startsWith('collect'))) });
    const run = (late: readonly Advisory[]) => {
      const answers = [[], late.map((record) => ({ record }))];
      const advisories = {
        read: async () => answers.shift() ?? [],
        changedSince: async () => new Map(),
        notAnswered: async (ids: readonly string[], reason: string) => void missed.push(...ids, reason),
      };
      return judgeScan.run(payload, { ...given, facts: { ...given.facts, advisories } }, context());
    };
    const gapsOf = async (late: readonly Advisory[]) =>
      (await run(late)).result.gaps.filter(({ kind }) => kind === 'advisory').length;
    expect(await gapsOf([])).toBe(1);
    expect(missed).toEqual(['GHSA-1', 'its job failed permanently']);
    expect(await gapsOf([advisory])).toBe(0);
  });

  it('continues without a child that failed permanently, and reports the gap', async () => {
    const partial = new Map(outcomes);
    partial.delete('collect-advisories/s.0.0');
    partial.delete('expand-dependencies/s.0.0');
    const { result } = await judgeScan.run(payload, ports({ outcomes: partial }), context());
    expect(result.findings).toMatchObject([{ severity: 'unrated', advisory: { id: 'GHSA-1' } }]);
    expect(result.gaps.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['advisory', 'GHSA-1'],
      ['dependencies', 'part 0'],
    ]);
  });

  it('loses only the rule that fails on a record, and keeps its previous findings there', async () => {
    const deprecatedFor = (deprecatedReason: unknown) => {
      const { resolution, ...rest } = affected('below', ['GHSA-1']);
      const record = { ...resolution.record, isDeprecated: true, deprecatedReason };
      const packages = [
        { ...rest, resolution: { outcome: 'resolved', record } },
        affected('other', ['GHSA-1']),
      ];
      return new Map(outcomes).set('ingest-lockfiles/s', inventory(packages as never));
    };
    const given = ports({ outcomes: deprecatedFor('use new') });
    const { state } = await judgeScan.run(payload, given, context());
    if (state === undefined || !('state' in state)) throw new Error('no state to remember');
    const { result } = await judgeScan.run(
      { ...payload, requestedAt: '2026-01-03T00:00:00Z' },
      { ...ports({ state: state.state }), outcomes: unchecked(deprecatedFor(7)) },
      context(),
    );
    expect(result).toMatchObject({ complete: false, kept: 1, changes: [] });
    expect(result.findings.map(({ rule, package: { name } }) => [rule, name])).toEqual([
      ['vulnerability', 'below'],
      ['vulnerability', 'other'],
    ]);
    expect(result.gaps).toMatchObject([
      {
        kind: 'rule',
        subject: 'pkg:pypi/below@1.0.0',
        reason: expect.stringMatching(/^rule deprecated failed: /),
      },
    ]);
  });

  it('names the parts of an advisory that could not be read', async () => {
    const problems = ['$.title: text is expected, there is 7', 'no CVSS score: 98'];
    const withProblems = new Map(outcomes).set('collect-advisories/s.0.0', {
      advisories: [{ ...advisory, problems }],
      failed: [],
    });
    const { result } = await judgeScan.run(payload, ports({ outcomes: withProblems }), context());
    expect(result.findings).toMatchObject([{ severity: 'high' }]);
    expect(result.gaps).toEqual([{ kind: 'advisory', subject: 'GHSA-1', reason: problems.join('; ') }]);
    expect(result.complete).toBe(true);
  });

  it('counts an id once that two parts answer or a package names twice', async () => {
    const twice = new Map(outcomes)
      .set('ingest-lockfiles/s', inventory([affected('below', ['GHSA-1', 'GHSA-1'])]))
      .set('collect-advisories/s.0.1', { advisories: [advisory, advisory], failed: [] });
    const { result } = await judgeScan.run(
      { ...payload, advisoryParts: 2 },
      ports({ outcomes: twice }),
      context(),
    );
    expect(result.findings).toMatchObject([{ severity: 'high', advisory: { id: 'GHSA-1' } }]);
    expect(result.gaps).toEqual([]);
  });

  it('changes nothing when a scan requested later was judged before it', async () => {
    const state = { revision: 4, scan: 'later', requestedAt: '2026-01-03T00:00:00Z', findings: [] };
    const now = Date.parse('2026-01-03T00:00:01Z');
    const own = ports({ outcomes, state, routes: ['a'] });
    const run = await judgeScan.run(payload, own, { ...context(), startedAt: now });
    expect(run.result.superseded).toBe(true);
    // A time in the future, of a worker whose clock was ahead, says nothing.
    const ahead = ports({
      outcomes,
      state: { ...state, requestedAt: '9999-01-03T00:00:00Z' },
      routes: ['a'],
    });
    const mended = await judgeScan.run(payload, ahead, { ...context(), startedAt: now });
    expect(mended.result.superseded).toBe(false);
    expect(mended.state).toMatchObject({ state: { requestedAt: payload.requestedAt } });
    expect(run.next).toEqual([]);
    expect(run.state).toBeUndefined();
  });

  it('replaces the revision that it compared with', async () => {
    const state = { revision: 4, scan: 'before', requestedAt: '2026-01-01T00:00:00Z', findings: [] };
    const { state: change } = await judgeScan.run(payload, ports({ outcomes, state }), context());
    expect(change).toMatchObject({ replaces: 4, state: { revision: expect.any(Number) } });
    expect(change !== undefined && 'state' in change && change.state.revision).toBeGreaterThan(4);
  });

  it('logs the findings, and warns of gaps that may hide findings', async () => {
    const { result, record } = await judgeScan.run(payload, ports({ outcomes, routes: ['a'] }), context());
    const logged = judgeScan.log?.(payload, result);
    expect(logged?.facts).toEqual({
      scan: 's',
      target: 't',
      lockfiles: 1,
      packages: 2,
      findings: { critical: 0, high: 1, medium: 0, low: 0, none: 0, unrated: 0 },
      changes: 1,
      kept: 0,
      gaps: 0,
    });
    expect(logged).not.toHaveProperty('warning');
    expect(record).toMatchObject({
      state: 'concluded',
      findings: { high: 1 },
      changes: { opened: 1 },
      deliveries: 1,
    });
    for (const field of ['gaps', 'incomplete']) expect(record).not.toHaveProperty(field);

    const failed = { outcome: 'failed' as const, reason: 'timed out' };
    const unsure = new Map(outcomes).set(
      'ingest-lockfiles/s',
      inventory([locked('a', { resolution: failed })]),
    );
    const partial = { ...payload, partial: true as const };
    const second = await judgeScan.run(partial, ports({ outcomes: unsure }), context());
    expect(judgeScan.log?.(partial, second.result)).toMatchObject({
      facts: { gaps: 1, partial: true, firstGaps: ['pkg:pypi/a@1.0.0: timed out'] },
      warning: expect.any(String),
    });
    expect(second.record).toMatchObject({ gaps: 1, incomplete: true });
    expect(second.record).not.toHaveProperty('deliveries');
  });

  it('says what is missing when Redis has lost the inventory, and tries again', async () => {
    await expect(judgeScan.run(payload, ports({}), context())).rejects.toMatchObject({
      code: 'facts-missing',
      retryable: true,
    });
  });
});

describe('ingest-lockfiles', () => {
  const content = JSON.stringify({
    lockfileVersion: 3,
    packages: { '': {}, 'node_modules/a': { version: '1.0.0' } },
  });
  const payload = {
    ...header,
    lockfiles: [
      { path: 'package-lock.json', content },
      { path: 'bad/package-lock.json', content: '{' },
    ],
  };
  const failing = ports({
    insights: {
      resolve: async (packages) => ({
        resolutions: packages.map(() => ({ outcome: 'failed' as const, reason: 'no answer' })),
        retryable: true,
        retryAfterMs: 1_000,
      }),
    },
  });

  it('is retried while look-ups may succeed later', async () => {
    await expect(ingestLockfiles.run(payload, failing, context())).rejects.toMatchObject({
      code: 'lookups-incomplete',
      retryAfterMs: 1_000,
    });
  });

  it('returns a partial result on the last attempt: failed packages and unread files are in the inventory', async () => {
    const { result, next } = await ingestLockfiles.run(payload, failing, context(true));
    expect(result.lockfiles[0]?.packages).toMatchObject([
      { id: 'a@1.0.0', resolution: { outcome: 'failed' } },
    ]);
    expect(result.unread).toMatchObject([{ path: 'bad/package-lock.json', error: { code: 'syntax' } }]);
    expect(next.map(({ job }) => job)).toEqual(['judge-scan']);
  });

  it('logs and records the files that were not read', async () => {
    const { result, record } = await ingestLockfiles.run(payload, failing, context(true));
    expect(ingestLockfiles.log?.(payload, result)).toMatchObject({
      facts: { scan: 's', target: 't', lockfiles: 1, packages: 1, unread: [expect.stringContaining('bad/')] },
      warning: '1 lockfiles were not read',
    });
    expect(record).toMatchObject({
      state: 'running',
      unread: 1,
      unreadFiles: [{ path: 'bad/package-lock.json' }],
      incomplete: true,
      outcomes: { failed: 1 },
    });
    const found = ports({
      insights: {
        resolve: async (packages) => ({
          resolutions: packages.map(() => ({ outcome: 'private' as const, reason: 'ours' })),
          retryable: false,
        }),
      },
    });
    const good = { ...payload, lockfiles: payload.lockfiles.slice(0, 1) };
    const whole = await ingestLockfiles.run(good, found, context());
    const logged = ingestLockfiles.log?.(good, whole.result);
    expect(logged).toMatchObject({ facts: { lockfiles: 1, packages: 1 } });
    expect(logged?.warning).toBeUndefined();
    expect(logged?.facts).not.toHaveProperty('unread');
    expect(whole.record).toMatchObject({ lockfiles: 1, packages: 1, outcomes: { private: 1 } });
    for (const field of ['unread', 'problems', 'incomplete']) expect(whole.record).not.toHaveProperty(field);
  });

  it('loses the one file whose reader fails unexpectedly, and only on the last attempt', async () => {
    const faulty = ports({
      insights: failing.insights,
    });
    const lockfiles: typeof faulty.lockfiles = {
      read: (request, signal) => {
        if (request.path.startsWith('bad/')) throw new TypeError('x is not a function');
        return faulty.lockfiles.read(request, signal);
      },
    };
    const given = { ...faulty, lockfiles };
    await expect(ingestLockfiles.run(payload, given, context())).rejects.toThrow('x is not a function');
    const { result } = await ingestLockfiles.run(payload, given, context(true));
    expect(result.lockfiles.map(({ path }) => path)).toEqual(['package-lock.json']);
    expect(result.unread).toMatchObject([
      {
        path: 'bad/package-lock.json',
        error: {
          code: 'unexpected',
          message: 'bad/package-lock.json: unexpected error: x is not a function',
        },
      },
    ]);
  });
});
