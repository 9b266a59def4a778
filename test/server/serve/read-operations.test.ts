import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feedOf } from '../../../src/exploits/feed.ts';
import { readKev } from '../../../src/exploits/kev.ts';
import { createExploitStore } from '../../../src/store/exploits.ts';
import { createDayCounts } from '../../../src/store/fleet/fleet-counts.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { shardOf } from '../../../src/store/shards/shard-layout.ts';
import { kevJson } from '../../exploits/lists.ts';
import { AT, npmFile, tracked } from '../../store/fleet/fleet-room.ts';
import { until } from '../../until.ts';
import { openServeRoom } from './serve-room.ts';

const EDGES = { 'shop@1.0.0': ['ms@2.1.3'], 'ms@2.1.3': ['lodash@4.17.20'] };

describe.each([1, 3])('the read operations over %i shards', (shards) => {
  let room: Awaited<ReturnType<typeof openServeRoom>>;
  let api: Awaited<ReturnType<typeof room.serve>>;
  const fleetOf = (target: string) => {
    const fleet = room.fleets[shardOf(target, shards)];
    if (fleet === undefined) throw new RangeError(target);
    return fleet;
  };
  const change = { transition: 'opened', rule: 'vulnerability', level: 'alert', title: 'Wrong' } as const;
  beforeAll(async () => {
    room = await openServeRoom({ shards });
    for (const [index, severity] of (['critical', 'high', 'low', 'medium'] as const).entries()) {
      const target = `org/t${index}`;
      await fleetOf(target).save(
        target,
        [npmFile('package-lock.json', ['shop@1.0.0', 'ms@2.1.3', 'lodash@4.17.20'], EDGES)],
        {
          labels: { team: index < 2 ? 'web' : 'data' },
          findings: [
            tracked(target, 'lodash@4.17.20', severity),
            tracked(target, 'old@1.0.0', 'low', { status: 'resolved' }),
            tracked(target, 'noted@1.0.0', 'critical', { finding: { level: 'note' } }),
          ],
          log: [{ ...change, fingerprint: 'f', severity, purl: 'pkg:npm/lodash@4.17.20' }],
          incomplete: index === 3,
        },
      );
    }
    api = await room.serve({ LOCKHOUND_POLICY_DUE_IN_CRITICAL: '7d' });
  });
  afterAll(() => room.close());

  const listed = async (query: string): Promise<readonly string[]> =>
    (await api.read('lockhound.findings.list', `findings?${query}`)).findings.map(
      ({ target, finding }: { target: string; finding: { package: { name: string } } }) =>
        `${target} ${finding.package.name}`,
    );

  it('counts the fleet', async () => {
    const overview = await api.read('lockhound.fleet.get', 'fleet');
    expect(overview).toMatchObject({
      targets: 4,
      packages: 12,
      incomplete: 1,
      worst: { critical: 4 },
      open: { critical: 5, high: 1, medium: 1, low: 1 },
      rejected: 0,
      leftOut: 0,
    });
  });

  it('lists targets with filters, orders and pages', async () => {
    const targets = async (query: string) =>
      (await api.read('lockhound.targets.list', `targets?${query}`)).targets.map(
        ({ target }: { target: string }) => target,
      );
    expect(await targets('orderBy=target')).toEqual(['org/t0', 'org/t1', 'org/t2', 'org/t3']);
    expect(await targets('')).toEqual(['org/t0', 'org/t1', 'org/t3', 'org/t2']);
    expect(await targets('label=team%3Ddata')).toEqual(['org/t3', 'org/t2']);
    expect(await targets('incomplete=true')).toEqual(['org/t3']);
    expect(await targets('search=T1')).toEqual(['org/t1']);
    const first = await api.read('lockhound.targets.list', 'targets?orderBy=target&pageSize=3');
    expect(first.total).toBe(4);
    expect(await targets(`orderBy=target&pageSize=3&pageToken=${first.nextPageToken}`)).toEqual(['org/t3']);
  });

  it('shows one target with its findings, and the packages of its lockfile in pages', async () => {
    const shown = await api.read('lockhound.targets.get', 'targets/org%2Ft0');
    expect(shown.summary).toMatchObject({ target: 'org/t0', labels: { team: 'web' }, packages: 3 });
    expect(shown.findings).toHaveLength(2);
    const inventory = 'lockhound.targets.inventory';
    const first = await api.read(inventory, 'targets/org%2Ft0/inventory?pageSize=2');
    expect(first).toMatchObject({ path: 'package-lock.json', total: 3 });
    const rest = await api.read(inventory, `targets/org%2Ft0/inventory?pageToken=${first.nextPageToken}`);
    const ids = [...first.packages, ...rest.packages].map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['shop@1.0.0', 'ms@2.1.3', 'lodash@4.17.20']);
    expect(rest.packages[0].dependencyPath).toEqual(['shop@1.0.0', 'ms@2.1.3', 'lodash@4.17.20']);
    const found = async (query: string) => {
      const { packages, total } = await api.read(inventory, `targets/org%2Ft0/inventory?${query}`);
      return [total, ...packages.map(({ name }: { name: string }) => name)];
    };
    expect(await found('search=LOD%20npm')).toEqual([1, 'lodash']);
    expect(await found('direct=true')).toEqual([1, 'shop']);
    expect(await found('group=dev')).toEqual([0]);
    expect(await found('skip=1&pageSize=1')).toEqual([3, 'ms']);
    // The package comes first, then those that need it, and those that it needs.
    expect(await found('around=ms@2.1.3')).toEqual([3, 'ms', 'shop', 'lodash']);
    expect(await found('around=lodash@4.17.20')).toEqual([2, 'lodash', 'ms']);
    expect(await found('around=shop@1.0.0&search=ms')).toEqual([1, 'ms']);
    expect(await found('around=none@1.0.0')).toEqual([0]);
    expect(rest.packages[0].severity).toBe('critical');
    expect(first.packages[0].severity).toBeUndefined();
    expect((await api.request('/api/v1/targets/org%2Fnone')).status).toBe(404);
    expect((await api.request('/api/v1/targets/org%2Fnone/inventory')).status).toBe(404);
  });

  it('counts findings by label, age, due date and other properties', async () => {
    const groups = async (query: string): Promise<readonly (readonly unknown[])[]> => {
      const answer = await api.read('lockhound.findings.breakdown', `findings/breakdown?${query}`);
      return answer.groups.map(({ name, total, severities, targets, overdue }: Record<string, unknown>) => [
        name,
        total,
        severities,
        targets,
        overdue,
      ]);
    };
    const totals = async (query: string) => (await groups(query)).map((group) => group.slice(0, 2));
    expect(await groups('by=label:team')).toEqual([
      ['web', 2, { critical: 1, high: 1 }, 2, 1],
      ['data', 2, { medium: 1, low: 1 }, 2, 0],
    ]);
    expect(await totals('by=label:team&severity=high')).toEqual([['web', 2]]);
    expect(await totals('by=label:none')).toEqual([[undefined, 4]]);
    expect(await totals('by=label:constructor')).toEqual([[undefined, 4]]);
    expect(await totals('by=due')).toEqual([
      ['overdue by 30 days or more', 1],
      ['no due date', 3],
    ]);
    expect(await totals('by=age')).toEqual([[expect.stringMatching(/^(?:up to|more than) /), 4]]);
    expect(await totals('by=rule&state=all&notes=true')).toEqual([['vulnerability', 12]]);
    expect(await totals('by=age&state=resolved')).toEqual([[undefined, 4]]);
    expect(await totals('by=owner')).toEqual([[undefined, 4]]);
    expect(await totals('by=ecosystem&limit=1')).toEqual([['npm', 4]]);
    expect(await totals('by=license&notes=true')).toEqual([]);
    const whole = await api.read('lockhound.findings.breakdown', 'findings/breakdown?by=label:team');
    expect(whole).toMatchObject({ total: 4, different: 2, labels: ['team'] });
    expect(whole.groups[0].oldest).toBe(new Date(AT).toISOString());
    for (const query of ['', 'by=', 'by=label:', 'by=severity', 'by=age&limit=0'])
      expect([query, (await api.request(`/api/v1/findings/breakdown?${query}`)).status]).toEqual([
        query,
        400,
      ]);
  });

  it('lists findings with filters and orders, and shows one', async () => {
    expect(await listed('')).toEqual(['org/t0 lodash', 'org/t1 lodash', 'org/t3 lodash', 'org/t2 lodash']);
    expect(await listed('severity=high')).toEqual(['org/t0 lodash', 'org/t1 lodash']);
    expect(await listed('severity=high&notes=true&label=team%3Dweb')).toHaveLength(4);
    expect(await listed('state=resolved&orderBy=target&target=org/t2')).toEqual(['org/t2 old']);
    expect(await listed('state=all&orderBy=target')).toHaveLength(8);
    expect(await listed('search=ghsa-LODASH%20t3')).toEqual(['org/t3 lodash']);
    expect(await listed('search=lodash%20lodash%20ORG')).toHaveLength(4);
    const many = Array.from({ length: 21 }, (_, index) => `w${index}`).join('+');
    for (const path of ['findings', 'findings/count', 'targets/org%2Ft0/inventory']) {
      expect((await api.request(`/api/v1/${path}?search=${many}`)).status).toBe(400);
    }
    expect(await listed('withoutGroups=dev')).toHaveLength(4);
    expect(await listed('rule=deprecated')).toEqual([]);
    expect(await listed('rule=deprecated&rule=vulnerability')).toHaveLength(4);
    expect(await listed('package=pkg:npm/lodash&target=org/t1')).toEqual(['org/t1 lodash']);
    expect(await listed('package=pkg:npm/lodash@4.17.20&advisory=GHSA-lodash')).toHaveLength(4);
    expect(await listed('package=pkg:npm/loda')).toEqual([]);
    expect(await listed('package=pkg:npm/lodash@4.17.2')).toEqual([]);
    expect(await listed('advisory=GHSA-other')).toEqual([]);
    const [first] = (await api.read('lockhound.findings.list', 'findings')).findings;
    const place = `targets/org%2Ft0/findings/${encodeURIComponent(first.finding.fingerprint)}`;
    const one = await api.read('lockhound.findings.get', place);
    expect(one).toMatchObject({ target: 'org/t0', places: 1 });
    for (const { finding } of [first, one]) {
      expect(finding).toMatchObject({ age: { since: AT }, due: '2026-02-07T06:00:00.000Z' });
    }
    const [resolved] = (await api.read('lockhound.findings.list', 'findings?state=resolved')).findings;
    expect(resolved.finding.age).toBeUndefined();
    expect((await api.request(`/api/v1/${place}x`)).status).toBe(404);
  });

  it('leaves out entries, and counts findings for filters', async () => {
    expect(await listed('skip=3')).toEqual(['org/t2 lodash']);
    expect(await listed('skip=9')).toEqual([]);
    const middle = await api.read('lockhound.findings.list', 'findings?skip=1&pageSize=1');
    expect(middle.total).toBe(4);
    expect(await listed(`pageToken=${middle.nextPageToken}&pageSize=1`)).toEqual(['org/t3 lodash']);
    expect((await api.request(`/api/v1/findings?skip=1&pageToken=${middle.nextPageToken}`)).status).toBe(400);
    const second = await api.read('lockhound.targets.list', 'targets?orderBy=target&skip=1&pageSize=1');
    expect([second.targets[0].target, second.total]).toEqual(['org/t1', 4]);
    expect(await api.read('lockhound.findings.count', 'findings/count?severity=medium')).toEqual({
      total: 3,
      severities: { critical: 1, high: 1, medium: 1 },
      rules: { vulnerability: 3 },
      ecosystems: { npm: 3 },
    });
  });

  it('lists the changes of one finding', async () => {
    const { scans } = await api.read('lockhound.changes.list', 'changes?fingerprint=f&target=org/t1');
    expect(scans).toHaveLength(1);
    expect((await api.read('lockhound.changes.list', 'changes?fingerprint=other')).scans).toEqual([]);
  });

  it('shows the trend and the queues', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const store = createDayCounts(room.redis, createKeys());
    await store.write({ day: '2020-01-01', targets: 1, open: { low: 1 } });
    await store.write({ day: today, targets: 4, open: { high: 9 } });
    await store.write({ day: today, targets: 4, open: { high: 2 } });
    const old = Array.from({ length: 500 }, (_, index) => [`1900-01-01-${index}`, '{}']).flat();
    await room.redis.hset(createKeys().dayCounts, ...old);
    await store.write({ day: '2020-01-02', targets: 1, open: {} });
    expect(await room.redis.hlen(createKeys().dayCounts)).toBe(400);
    const { days } = await api.read('lockhound.fleet.trend', 'fleet/trend');
    expect(days).toEqual([expect.objectContaining({ day: today, targets: 4, open: { high: 2 } })]);
    const { queues } = await api.read('lockhound.queues.list', 'queues');
    expect(queues).toContainEqual(expect.objectContaining({ queue: 'judge-scan', waiting: 0, failed: 0 }));
  });

  it('continues after the last entry of a page when the fleet has changed in between', async () => {
    const first = await api.read('lockhound.findings.list', 'findings?pageSize=2');
    expect(first.total).toBe(4);
    await fleetOf('org/new').save('org/new', [], { findings: [tracked('org/new', 'z@1.0.0', 'critical')] });
    await fleetOf('org/t1').save('org/t1', [], { findings: [] });
    // Shards are read one after the other.
    await until('the changes are seen', async () => {
      const names = await listed('');
      return names.includes('org/new z') && !names.includes('org/t1 lodash');
    });
    expect(await listed(`pageSize=2&pageToken=${first.nextPageToken}`)).toEqual([
      'org/t3 lodash',
      'org/t2 lodash',
    ]);
  });

  it('lists changes in pages, newest first', async () => {
    const first = await api.read('lockhound.changes.list', 'changes?pageSize=3');
    const rest = await api.read(
      'lockhound.changes.list',
      `changes?pageSize=3&pageToken=${first.nextPageToken}`,
    );
    const targets = [...first.scans, ...rest.scans].map(({ target }: { target: string }) => target);
    expect(targets).toEqual(['org/t3', 'org/t2', 'org/t1', 'org/t0']);
    expect((await api.read('lockhound.changes.list', 'changes?severity=high')).scans).toHaveLength(2);
    const future = await api.read('lockhound.changes.list', 'changes?since=2100-01-01');
    expect(future.scans).toEqual([]);
  });

  it('has priorities by what is known of exploitation now', async () => {
    const cve = 'CVE-2021-44228';
    const advisory = { id: cve, aliases: [], title: 'Wrong', url: 'https://a.example' };
    const low = tracked('org/kev', 'left@1.0.0', 'low', { finding: { advisory } });
    await fleetOf('org/kev').save('org/kev', [], { findings: [low] });
    const place = `targets/org%2Fkev/findings/${encodeURIComponent(low.finding.fingerprint)}`;
    const scores = async () => {
      const { findings } = await api.read('lockhound.findings.list', 'findings?target=org/kev');
      return findings.map(
        ({ finding }: { finding: { priority: { score: number } } }) => finding.priority.score,
      );
    };
    await until('the target is seen', async () => (await scores()).length === 1);
    expect(await scores()).toEqual([15]);
    const feed = feedOf('kev', await readKev(kevJson([cve])), { source: 'test', importedAt: AT });
    await createExploitStore(room.redis, (room.fleets[0] as (typeof room.fleets)[number]).keys).write(feed);
    // The severity, known exploitation, ransomware.
    await until('the list is read', async () => (await scores())[0] === 15 + 25 + 5);
    const { finding } = await api.read('lockhound.findings.get', place);
    expect(finding).toMatchObject({ priority: { score: 45 }, kev: { listed: true } });
  });

  it('finds where a package is', async () => {
    const answer = await api.read(
      'lockhound.packages.where',
      'packages/where?package=lodash%40%3C4.17.21&limit=2',
    );
    expect(answer).toMatchObject({ versions: ['pkg:npm/lodash@4.17.20'], lockfiles: answer.targets });
    expect(answer.places).toHaveLength(2);
    const none = await api.read('lockhound.packages.where', 'packages/where?package=lodash&range=%3C1');
    expect(none).toMatchObject({
      targets: 0,
      otherVersions: { targets: answer.targets, newest: expect.arrayContaining(['pkg:npm/lodash@4.17.20']) },
      similar: [],
    });
    expect((await api.request('/api/v1/packages/where')).status).toBe(400);
  });

  it('answers with what is empty', async () => {
    expect(await api.read('lockhound.scans.list', 'scans')).toEqual({ scans: [] });
    expect(await api.read('lockhound.deliveries.list', 'deliveries')).toEqual({
      deliveries: [],
      stoppedRoutes: [],
    });
    expect(await api.read('lockhound.schedules.list', 'schedules')).toEqual({ schedules: [] });
    expect(await api.read('lockhound.rejected.list', 'rejected')).toEqual({ rejected: [], total: 0 });
    for (const path of [
      'scans/none',
      'scans/none/report',
      'deliveries/none',
      'schedules/none',
      'rejected/a/b',
    ]) {
      expect([path, (await api.request(`/api/v1/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it('forgets a target that was removed', async () => {
    const { openFleetStore } = await import('../../../src/compose/fleet-store.ts');
    const { loadConfig } = await import('../../../src/config/load.ts');
    const store = await openFleetStore(loadConfig({ environment: room.environment }));
    await store.of('org/t2').forgetTarget('org/t2');
    await store.close();
    await until('it is gone', async () => !(await listed('')).includes('org/t2 lodash'));
    const count = async () => (await api.read('lockhound.fleet.get', 'fleet')).targets;
    await until('it is not counted', async () => (await count()) === 5);
  });

  it('groups findings by advisory and package in every order, page by page', async () => {
    const odd = tracked('org/g2', 'axios@1.0.0', 'high');
    const { advisory: _, ...withoutAdvisory } = odd.finding;
    const labels = { team: 'grouped' };
    for (const [target, findings] of [
      ['org/g0', [tracked('org/g0', 'lodash@4.17.20', 'critical')]],
      ['org/g1', [tracked('org/g1', 'lodash@4.17.20', 'high')]],
      [
        'org/g2',
        [
          tracked('org/g2', 'lodash@4.17.19', 'medium'),
          tracked('org/g2', 'lodash@4.17.20', 'low'),
          tracked('org/g2', 'old@1.0.0', 'low', { status: 'resolved' }),
          { ...odd, finding: { ...withoutAdvisory, issue: 'odd' } },
        ],
      ],
    ] as const) {
      await fleetOf(target).save(target, [], { labels, findings });
    }
    await api.server.follow();
    const grouped = 'label=team%3Dgrouped';
    const issues = async (query: string) =>
      await api.read('lockhound.findings.issues', `findings/issues?by=package&${grouped}&${query}`);
    const names = async (query: string) =>
      (await issues(query)).issues.map(
        ({ first }: { first: { finding: { package: { name: string } } } }) => first.finding.package.name,
      );
    const all = await issues('');
    expect(all).toMatchObject({ total: 5, different: 2, targets: 3 });
    const [lodash, axios] = all.issues;
    expect(lodash).toMatchObject({ severity: 'critical', findings: 4, targets: 3, versions: 2, fixedIn: [] });
    expect(lodash.named).toEqual(['org/g0', 'org/g1', 'org/g2']);
    expect(axios).toMatchObject({ severity: 'high', findings: 1, named: ['org/g2'], versions: 1 });
    for (const [query, first] of [
      ['orderBy=targets', 'lodash'],
      ['orderBy=targets&reverse=true', 'axios'],
      ['orderBy=package', 'axios'],
      ['orderBy=package&reverse=true', 'lodash'],
      ['orderBy=advisory', 'lodash'],
      ['orderBy=score&reverse=true', 'axios'],
    ]) {
      const page = await issues(`${query}&limit=1`);
      const second = await names(`${query}&limit=1&pageToken=${page.nextPageToken}`);
      expect([query, await names(`${query}&limit=1`), await names(`${query}&skip=1`)]).toEqual([
        query,
        [first],
        second,
      ]);
      expect(second).not.toEqual([first]);
    }
    // The id of an issue selects its findings, whatever else is asked for.
    expect(await listed(`${grouped}&issue=${lodash.id}`)).toHaveLength(4);
    expect(await listed(`issue=${lodash.id}&issue=${axios.id}&target=org/g2`)).toHaveLength(3);
    expect(await listed('issue=0123456789abcdef')).toEqual([]);
    expect((await api.request('/api/v1/findings?issue=other')).status).toBe(400);
    expect((await issues('target=org/g1')).issues).toMatchObject([{ findings: 1, targets: 1, versions: 1 }]);
    expect(await names('state=resolved')).toEqual(['old']);
    // By version, severity and state, as the command line lists them.
    const versions = await api.read('lockhound.findings.issues', `findings/issues?${grouped}`);
    expect(versions.different).toBe(5);
  });
});
