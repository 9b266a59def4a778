import { expect, it } from 'vitest';
import { encodeIds } from '../../../src/fleet/id-list.ts';
import { inspectionsDue } from '../../../src/jobs/payloads/inspect-packages.ts';
import { refreshFacts } from '../../../src/jobs/refresh/refresh-facts.ts';
import { refreshFleet } from '../../../src/jobs/refresh/refresh-fleet.ts';
import { selectTargets } from '../../../src/jobs/refresh/select-targets.ts';
import type { Refreshed } from '../../../src/model/ports/insights.ts';
import { context, ports, unexpected } from '../facts.ts';

const STARTED = new Date(context().startedAt).toISOString();
const PART = {
  refresh: 'r',
  cadence: 'all' as const,
  requestedAt: STARTED,
  dividedAt: 0,
  part: 0,
  facts: { versions: encodeIds([1, 2]).toString('base64') },
};
const ANSWERED: Refreshed = {
  answered: 2,
  unknown: 0,
  changed: 0,
  failed: 0,
  unanswered: 0,
  lost: [],
  kept: {},
};

const RECORD = {
  refresh: 'before',
  startedAt: STARTED,
  finishedAt: STARTED,
  packages: 1,
  advisories: 1,
  changed: 0,
  failed: 0,
  unanswered: 0,
};

function portsWith(fleet: Partial<ReturnType<typeof ports>['fleet']>, answer: Refreshed = ANSWERED) {
  const given = ports({ insights: { refreshVersions: async () => answer } });
  const identities = async () => ['NPM:a@1.0.0', 'NPM:b@1.0.0'];
  return { ...given, fleet: { ...given.fleet, identities, ...fleet } };
}

it('a part of a refresh lets waiting scans pass, and runs beside them after half an hour', async () => {
  const busy = portsWith({ waitingScans: async () => 3 });
  await expect(refreshFacts.run(PART, busy, context())).rejects.toMatchObject({ code: 'others-first' });
  const later = { ...context(), startedAt: context().startedAt + 1_800_001 };
  expect(await refreshFacts.run(PART, busy, later)).toMatchObject({ result: ANSWERED });
});

it('a part renews the claim of its refresh, and takes none', async () => {
  const run = await refreshFacts.run(PART, portsWith({}), context());
  expect(run.fleet?.claim).toMatchObject({ holder: 'r', onlyHeld: true });
});

it('a part of a refresh that was given up asks nothing', async () => {
  const other = portsWith({ refreshInProgress: async () => 'another' });
  expect(await refreshFacts.run(PART, other, context())).toEqual({
    result: expect.objectContaining({ superseded: true, answered: 0 }),
    next: [],
  });
});

it('a part without all answers is retried with the wait that the service asks for, and then accepted', async () => {
  const partial = portsWith(
    {},
    { ...ANSWERED, answered: 1, failed: 1, unanswered: 1, reason: '429', retryAfterMs: 7 },
  );
  await expect(refreshFacts.run(PART, partial, context())).rejects.toMatchObject({
    code: 'lookups-incomplete',
    retryable: true,
    retryAfterMs: 7,
  });
  const last = await refreshFacts.run(PART, partial, context(true));
  expect(last.result).toMatchObject({ answered: 1, unanswered: 1 });
});

it.each([
  ['after the refresh was due', 3_600_000, 3_600_000],
  ['before it was due', -1_000, 0],
])('targets are judged at the time of the last change: one %s', async (_, learnedAfter, judgedAfter) => {
  const due = context().startedAt;
  const change = (key: string, after: number) => ({ key, changedAt: due + after });
  const pending = {
    versions: [change('a', -5_000), change('b', learnedAfter)],
    advisories: [change('c', -1)],
  };
  const fleet = portsWith({ pending: async () => pending, affectedTargets: async () => ['one'] });
  const selection = { selection: 'r', requestedAt: STARTED, round: 0 };
  const run = await selectTargets.run(selection, fleet, context());
  expect(run.next.map(({ payload }) => payload)).toEqual([
    { selection: 'r', round: 0, requestedAt: new Date(due + judgedAfter).toISOString(), target: 'one' },
  ]);
});

it('a large selection is judged in parts, each target once', async () => {
  const targets = Array.from({ length: 1_201 }, (_, index) => `target-${index}`);
  const fleet = portsWith({ affectedTargets: async () => targets });
  const { next } = await selectTargets.run(
    { selection: 'r', requestedAt: STARTED, round: 0 },
    fleet,
    context(),
  );
  const parts = next.map(({ job, key }) => `${job} ${key}`);
  expect(parts).toEqual([0, 1, 2].map(() => expect.stringMatching(/^select-targets r\.0\.[0-9a-f]{16}$/)));
  const runs = await Promise.all(
    next.map((part) => {
      const payload = selectTargets.schema().parse(part.payload);
      return selectTargets.run(payload, portsWith({ pending: unexpected }), context());
    }),
  );
  const judged = runs.flatMap((run) => run.next);
  expect(new Set(judged.map(({ job }) => job))).toEqual(new Set(['judge-target']));
  expect(judged.map(({ payload }) => (payload as { target: string }).target)).toEqual(targets);

  // Redis lost the outcome, and the parts ended. The selection runs again: parts of other targets, or of a later change, are others.
  const keysOf = async (affected: readonly string[], changedAt: number) => {
    const ports = portsWith({
      affectedTargets: async () => affected,
      pending: async () => ({ versions: [{ key: 'NPM:x@1.0.0', changedAt }], advisories: [] }),
    });
    const again = await selectTargets.run(
      { selection: 'r', requestedAt: STARTED, round: 0 },
      ports,
      context(),
    );
    return again.next.map(({ job, key }) => `${job} ${key}`);
  };
  expect(await keysOf(targets, 0)).toEqual(parts);
  const others = await keysOf(['another', ...targets], 0);
  const later = await keysOf(targets, Date.parse(STARTED) + 1_000);
  expect(new Set([...parts, ...others, ...later]).size).toBe(9);
});

it.each([
  ['a refresh that is older than the last one that ended', STARTED, true],
  ['the refresh that ended last', new Date(context().startedAt - 1_000).toISOString(), true],
  ['a newer refresh', new Date(context().startedAt - 1_001).toISOString(), false],
  ['a refresh after the end of one of a wrong clock', new Date(context().startedAt + 1).toISOString(), false],
])('%s starts only when it is newer', async (_, startedAt, isSkipped) => {
  const requestedAt = new Date(context().startedAt - 1_000).toISOString();
  const fleet = portsWith({ lastRefresh: async () => ({ ...RECORD, startedAt }) });
  const run = await refreshFleet.run({ ...PART, requestedAt }, fleet, context());
  expect('skippedFor' in run.result).toBe(isSkipped);
  expect(run.fleet === undefined).toBe(isSkipped);
});

it('a refresh has parts of 2,500 versions and 250 advisories, each once', async () => {
  const ids = Uint32Array.from({ length: 5_001 }, (_, index) => index + 1);
  const advisories = Array.from({ length: 251 }, (_, index) => `GHSA-${index}`);
  const fleet = portsWith({ packageIds: async () => ids, advisoryIds: async () => advisories });
  const { next } = await refreshFleet.run(
    { refresh: 'r', requestedAt: STARTED, cadence: 'all' },
    fleet,
    context(),
  );
  expect(next).toHaveLength(1);
  expect(next[0]).toMatchObject({ job: 'finish-refresh', payload: { packageParts: 3, advisoryParts: 2 } });
  expect(next[0]?.children?.map(({ job }) => job)).toEqual([...Array(5).fill('refresh-facts')]);
});

it('a refresh or an inspection that runs again has other jobs than its first run', async () => {
  const keysAt = async (startedAt: number) => {
    const fleet = portsWith({
      packageIds: async () => Uint32Array.of(startedAt),
      advisoryIds: async () => [],
    });
    const { next } = await refreshFleet.run(PART, fleet, { ...context(), startedAt });
    const [finish] = next;
    return [finish, ...(finish?.children ?? [])].map((one) => one?.key);
  };
  expect([...(await keysAt(1)), ...(await keysAt(2))]).toEqual(['r.1', 'r.1.0', 'r.2', 'r.2.0']);
  const young = (...names: string[]) =>
    inspectionsDue(
      names.map((name) => ({ system: 'NPM', name, version: '1.0.0' })),
      new Date(0),
    ).map(({ key }) => key);
  expect(young('a', 'b')).toEqual(young('a', 'b'));
  expect(young('a', 'b')).not.toEqual(young('a', 'c'));
});

it('what lists of changes name is refreshed until the service has answered about all of it', async () => {
  const before = context().startedAt - 1_000;
  const sinceAfter = async (last: { readonly unanswered: number } | undefined) => {
    const asked: number[] = [];
    const fleet = portsWith({
      lastRefresh: async () => last && { ...RECORD, ...last, startedAt: new Date(before).toISOString() },
      listed: async (since) => {
        asked.push(since);
        return { ids: Uint32Array.of(7), advisories: ['GHSA-1'] };
      },
    });
    const { result } = await refreshFleet.run({ ...PART, cadence: 'listed' }, fleet, context());
    expect(result).toEqual({ packages: 1, advisories: 1 });
    return asked;
  };
  expect(await sinceAfter(undefined)).toEqual([0]);
  expect(await sinceAfter({ unanswered: 0 })).toEqual([before]);
  expect(await sinceAfter({ unanswered: 1 })).toEqual([0]);
});

it('a refresh of everything renews the known fixes of open alerts that are older than three days', async () => {
  const day = 86_400_000;
  const now = context().startedAt + 10 * day;
  const alert = (name: string) => ({
    ...{ rule: 'vulnerability' as const, level: 'alert' as const, severity: 'high' as const, title: 'a' },
    package: {
      ecosystem: 'npm',
      name,
      version: '1.0.0',
      purl: `pkg:npm/${name}@1.0.0`,
      direct: true,
      groups: [],
    },
    advisory: { id: 'GHSA-1', aliases: [], title: 'a', url: 'https://advisories.example/1' },
  });
  const way = { kind: 'none' as const, brings: [] };
  const known = new Map([
    ['old', { computedAt: now - 4 * day, candidates: [], lookedAt: 0, ways: { '@a/b@2.0.0': way } }],
    ['new', { computedAt: now - 2 * day, candidates: [], lookedAt: 0, ways: {} }],
  ]);
  const knownFixes = {
    mode: 'apart' as const,
    read: async (keys: readonly { readonly name: string }[]) => keys.map(({ name }) => known.get(name)),
    unasked: () => [],
    learn: unexpected,
  };
  const alerts = [alert('old'), alert('new'), alert('never'), alert('old')];
  const started = (cadence: 'all' | 'young') => {
    const given = ports({ knownFixes, fleet: { openAlerts: async () => alerts } });
    return refreshFleet.run({ refresh: 'r', requestedAt: STARTED, cadence }, given, {
      ...context(),
      startedAt: now,
    });
  };
  const key = (name: string, version = '1.0.0') => ({ system: 'NPM', name, version });
  const advice = (await started('all')).next.filter(({ job }) => job === 'advise-upgrades');
  expect(advice.map(({ payload }) => payload)).toEqual([
    {
      ...{ advice: 'r', requestedAt: STARTED },
      packages: [
        { key: key('never'), directs: [] },
        { key: key('old'), directs: [key('@a/b', '2.0.0')] },
      ],
    },
  ]);
  expect((await started('young')).next.map(({ job }) => job)).toEqual(['finish-refresh']);
});
