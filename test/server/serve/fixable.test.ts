import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRecordCache } from '../../../src/insights/caching.ts';
import type { KnownFix, KnownWay } from '../../../src/model/advice/fix.ts';
import { CACHED_FIX } from '../../../src/model/stored/catalog.ts';
import { createCache } from '../../../src/store/facts/cache.ts';
import { shardOf } from '../../../src/store/shards/shard-layout.ts';
import { lockhound } from '../../cli/lockhound.ts';
import { tracked } from '../../store/fleet/fleet-room.ts';
import { openServeRoom } from './serve-room.ts';

const UPGRADE: KnownWay = { kind: 'upgrade-direct', to: '1.1.0', brings: ['2.0.0'] };
const NONE: KnownWay = { kind: 'none', brings: [], reason: 'nothing brings it' };
const known = (ways: Readonly<Record<string, KnownWay>>, version?: string): KnownFix => ({
  computedAt: Date.now(),
  ...(version === undefined ? {} : { version }),
  candidates: [],
  lookedAt: 1,
  ways,
});
const path = (...ids: readonly string[]) => [
  { path: 'package-lock.json', line: 2, dependencyPath: [...ids] },
];

describe.each([1, 3])('findings that a known upgrade clears, over %i shards', (shards) => {
  let room: Awaited<ReturnType<typeof openServeRoom>>;
  let api: Awaited<ReturnType<typeof room.serve>>;
  beforeAll(async () => {
    room = await openServeRoom({ shards });
    for (const { redis, keys } of room.fleets) {
      const ttl = { recordTtlMs: 60_000, missTtlMs: 60_000 };
      const fixes = createRecordCache<KnownFix>(CACHED_FIX, { cache: createCache(redis, keys), ...ttl });
      await fixes.set([
        ['NPM:brought@1.0.0', { record: known({ 'shop@1.0.0': UPGRADE }, '2.0.0') }],
        ['NPM:stuck@1.0.0', { record: known({ 'shop@1.0.0': NONE }, '2.0.0') }],
        ['NPM:never@1.0.0', { record: known({}) }],
        ['NPM:own@1.0.0', { record: known({}, '1.0.1') }],
      ]);
    }
    for (const target of ['t1', 't2', 't3']) {
      const own = tracked(target, 'own@1.0.0', 'medium').finding.package;
      await room.fleets[shardOf(target, shards)]?.save(target, [], {
        findings: [
          tracked(target, 'brought@1.0.0', 'high'),
          tracked(target, 'brought@1.0.0', 'low', {
            finding: { locations: path('other@1.0.0', 'brought@1.0.0') },
          }),
          tracked(target, 'brought@1.0.0', 'critical', { status: 'resolved' }),
          tracked(target, 'stuck@1.0.0', 'high'),
          tracked(target, 'never@1.0.0', 'high'),
          tracked(target, 'unknown@1.0.0', 'high'),
          tracked(target, 'own@1.0.0', 'medium', {
            finding: { package: { ...own, direct: true }, locations: path('own@1.0.0') },
          }),
        ],
      });
    }
    api = await room.serve();
  });
  afterAll(() => room.close());

  const list = async (query: string) => await api.read('lockhound.findings.list', `findings?${query}`);
  const names = ({ findings }: Awaited<ReturnType<typeof list>>): readonly string[] =>
    findings.map(({ finding }: { finding: { fingerprint: string } }) => finding.fingerprint);

  it('are listed and counted, as by the command line', async () => {
    const listed = await list('fixable=true&state=all');
    const expected = ['t1', 't2', 't3'].flatMap((target) => [
      `${target}/brought@1.0.0/high`,
      `${target}/own@1.0.0/medium`,
    ]);
    expect([...names(listed)].sort()).toEqual(expected);
    expect(listed.total).toBe(6);
    vi.stubEnv('REDIS_URL', room.url).stubEnv('LOCKHOUND_REDIS_SHARDS', String(shards));
    const printed = await lockhound(['findings', '--fixable', '--state', 'all', '--json']);
    vi.unstubAllEnvs();
    expect([...names(JSON.parse(printed.out))].sort()).toEqual(expected);
    const counted = await api.read('lockhound.findings.count', 'findings/count?fixable=true&severity=high');
    expect(counted).toMatchObject({ total: 3, severities: { high: 3 } });
    expect((await list('fixable=false&state=all')).total).toBe(21);
    expect((await list('fixable=true&state=resolved')).total).toBe(0);
  });

  it('are those of suppressed findings, too', async () => {
    const room = await openServeRoom({ shards });
    try {
      for (const { redis, keys } of room.fleets) {
        const cache = createCache(redis, keys);
        const fixes = createRecordCache<KnownFix>(CACHED_FIX, {
          cache,
          recordTtlMs: 60_000,
          missTtlMs: 60_000,
        });
        await fixes.set([['NPM:own@1.0.0', { record: known({}, '1.0.1') }]]);
      }
      const own = tracked('t1', 'own@1.0.0', 'high').finding.package;
      const suppressed = {
        by: 'ignore 1',
        source: 'command' as const,
        reason: 'not reachable',
        expires: '2099-01-01T00:00:00Z',
      };
      const finding = { package: { ...own, direct: true }, locations: path('own@1.0.0'), suppressed };
      await room.fleets[shardOf('t1', shards)]?.save('t1', [], {
        findings: [tracked('t1', 'own@1.0.0', 'high', { finding })],
      });
      const own1 = await room.serve();
      const { issues } = await own1.read('lockhound.findings.issues', 'findings/issues?state=suppressed');
      expect(issues).toMatchObject([{ first: { finding: { suppressed } }, fixedIn: ['1.0.1'] }]);
    } finally {
      await room.close();
    }
  });

  it('come in pages', async () => {
    const first = await list('fixable=true&pageSize=4');
    const rest = await list(`fixable=true&pageSize=4&pageToken=${first.nextPageToken}`);
    expect([first.total, rest.findings.length, rest.nextPageToken]).toEqual([6, 2, undefined]);
    expect(new Set([...names(first), ...names(rest)]).size).toBe(6);
    const other = `/api/v1/findings?pageSize=4&pageToken=${first.nextPageToken}`;
    expect((await api.request(other)).status).toBe(400);
  });
});
