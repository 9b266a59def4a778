import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Suppression } from '../../../src/model/scan/suppression.ts';
import { CACHED_ADVISORY, CACHED_VERSION } from '../../../src/model/stored/catalog.ts';
import { concernedFindings } from '../../../src/policy/suppressions/concerned-findings.ts';
import { createFactStore } from '../../../src/store/facts/facts.ts';
import { createChangeLog } from '../../../src/store/fleet/change-log.ts';
import { createFleet, targetsWith } from '../../../src/store/fleet/fleet.ts';
import { createTargetSummaries } from '../../../src/store/fleet/target-summaries.ts';
import { createTargetStore } from '../../../src/store/targets.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';
import { AT, gathered, npmFile, openFleet, tracked } from './fleet-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

async function all<Item>(parts: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
  return (await gathered(parts)).flat();
}

describe('the list of all targets', () => {
  it('has each target once, and names one that cannot be read', async () => {
    const fleet = openFleet(room.redis, 'summaries');
    const names = Array.from({ length: 1_200 }, (_, index) => `target ${index}`);
    const file = npmFile('package-lock.json', ['a@1.0.0']);
    for (const name of names) await fleet.save(name, [file], { labels: { team: 'web' } });
    await room.redis.hset(fleet.keys.targetSummaries, 'target 7', '{"labels":');
    const damaged: string[] = [];
    const summaries = createTargetSummaries(room.redis, fleet.keys);
    const listed = await all(summaries.all(({ message }) => damaged.push(message)));
    expect(listed.map(([name]) => name).sort()).toEqual(names.filter((name) => name !== 'target 7').sort());
    expect(listed[0]?.[1].labels).toEqual({ team: 'web' });
    expect(damaged).toEqual([
      expect.stringContaining('field target 7, holds a target-summary that cannot be'),
    ]);
    await expect(summaries.read('target 7')).rejects.toMatchObject({ code: 'state-corrupt' });
    expect(await summaries.read('nobody')).toBeUndefined();
  });
});

describe('the states of many targets', () => {
  it('come in order; missing ones are left out, a damaged one is named', async () => {
    const fleet = openFleet(room.redis, 'states');
    const names = Array.from({ length: 150 }, (_, index) => `t${index}`);
    for (const name of names) {
      await fleet.save(name, [], { findings: [tracked(name, 'lodash@4.17.20', 'high')] });
    }
    await room.redis.hset(fleet.keys.target('t100'), 'state', 'nonsense');
    const states = createTargetStore(room.redis, fleet.keys);
    const damaged: string[] = [];
    const found: string[] = [];
    for await (const [name, state] of states.each([...names, 'absent'], ({ message }) =>
      damaged.push(message),
    )) {
      expect(state.findings[0]?.finding.fingerprint).toBe(`${name}/lodash@4.17.20/high`);
      found.push(name);
    }
    expect(found).toEqual(names.filter((name) => name !== 't100'));
    expect(damaged).toEqual([expect.stringContaining('target "t100"')]);
    expect([...(await all(states.ids()))].sort()).toEqual([...names].sort());
  });
});

describe('a list of package ids that is damaged', () => {
  it('stops no pass over the others; its target may hold each package', async () => {
    const fleet = openFleet(room.redis, 'damaged-list');
    await fleet.save('good', [npmFile('package-lock.json', ['x@1.0.0'])]);
    await fleet.save('other', [npmFile('package-lock.json', ['z@1.0.0'])]);
    await fleet.save('bad', [npmFile('package-lock.json', ['y@1.0.0'])]);
    const [file] = (await fleet.targets.read('bad'))?.lockfiles ?? [];
    const hash = file?.inventory ?? '';
    const bucket = fleet.keys.idLists(Number.parseInt(hash.slice(0, 2), 16));
    const times = { recordTtlMs: 3_600_000, missTtlMs: 3_600_000 };
    const damaged: string[] = [];
    const { packageIds, affectedTargets, identities } = createFleet(room.redis, fleet.keys, {
      ...fleet,
      facts: {
        versions: createFactStore(room.redis, fleet.keys, CACHED_VERSION, times),
        advisories: createFactStore(room.redis, fleet.keys, CACHED_ADVISORY, times),
      },
      onUnreadable: ({ code, message }) => damaged.push(`${code} ${message}`),
    });
    // A length beyond the end, and an id that is cut off.
    for (const list of [Buffer.of(9, 0, 0, 0), Buffer.of(1, 0, 0, 0, 0x80)]) {
      await room.redis.hset(bucket, hash, list);
      damaged.length = 0;
      expect([...(await identities(await packageIds()))].sort()).toEqual(['NPM:x@1.0.0', 'NPM:z@1.0.0']);
      const affected = await affectedTargets({
        versions: [{ key: 'NPM:x@1.0.0', changedAt: 0 }],
        advisories: [],
      });
      expect([...affected].sort()).toEqual(['bad', 'good']);
      expect(damaged).toHaveLength(2);
      expect(damaged[0]).toMatch(new RegExp(`^state-corrupt .*${hash}.*A scan of its targets replaces it`));
    }
    // Nor does a summary that is damaged: its target may hold each package too.
    await room.redis.hset(fleet.keys.targetSummaries, 'other', '{"');
    damaged.length = 0;
    const versions = [{ key: 'NPM:x@1.0.0', changedAt: 0 }];
    expect([...(await affectedTargets({ versions, advisories: [] }))].sort()).toEqual([
      'bad',
      'good',
      'other',
    ]);
    expect(damaged).toContainEqual(
      expect.stringMatching(/^state-corrupt .*field other.*Scan target "other" again/),
    );
  });
});

describe('listed packages', () => {
  it('are found in all their versions, Go modules by any spelling, and few or many of them alike', async () => {
    const fleet = openFleet(room.redis, 'listed');
    const npm = npmFile('package-lock.json', ['left@1.0.0', 'left@2.0.0', 'left-pad@1.0.0', '@a/left@1.0.0']);
    const go = npmFile('go.sum', ['github.com/Masterminds/semver@v3.0.0', 'example.com/other@v1.0.0']);
    const modules = go.packages.map((one) => ({ ...one, ecosystem: 'golang' as const }));
    await fleet.save('shop', [npm, { ...go, packages: modules }]);
    const times = { recordTtlMs: 3_600_000, missTtlMs: 3_600_000 };
    let members: readonly string[] = [];
    const { listed, identities } = createFleet(room.redis, fleet.keys, {
      ...fleet,
      facts: {
        versions: createFactStore(room.redis, fleet.keys, CACHED_VERSION, times),
        advisories: createFactStore(room.redis, fleet.keys, CACHED_ADVISORY, times),
      },
      listedSince: async () => [...members],
    });
    const found = ['GO:github.com/Masterminds/semver@v3.0.0', 'NPM:left@1.0.0', 'NPM:left@2.0.0'];
    const others = Array.from({ length: 20 }, (_, index) => `NPM:nobody-${index}`);
    for (const more of [[], others]) {
      members = ['id:GHSA-1', 'NPM:left', 'GO:github.com/masterminds/semver', ...more];
      const { ids, advisories } = await listed(0);
      expect([...(await identities(ids))].sort()).toEqual(found);
      expect(advisories).toEqual(['GHSA-1']);
    }
    members = ['id:GHSA-1'];
    expect((await listed(0)).ids).toHaveLength(0);
  });
});

describe('the targets with wanted findings', () => {
  it('are found by target, text and finding; one that is damaged is named', async () => {
    const fleet = openFleet(room.redis, 'wanted');
    const suppression = (more: Partial<Suppression>): Suppression => ({
      id: 'ignore 1',
      source: 'command',
      reason: 'r',
      ...more,
    });
    const web = { labels: { team: 'web' } };
    await fleet.save('web', [], { ...web, findings: [tracked('web', 'lodash@4.17.20', 'high')] });
    await fleet.save('old', [], {
      ...web,
      findings: [tracked('old', 'lodash@4.17.20', 'high', { status: 'resolved' })],
    });
    await fleet.save('new', [], { ...web, findings: [tracked('new', 'lodash@5.0.0', 'low')] });
    await fleet.save('api', [], { findings: [tracked('api', 'lodash@4.17.20', 'high')] });
    await fleet.save('cors', [], { findings: [tracked('cors', 'flask-cors@1.0.0', 'high')] });
    await fleet.save('none', []);
    await fleet.save('damaged', []);
    await room.redis.hset(fleet.keys.target('damaged'), 'state', 'lodash');
    const found = async (...changed: readonly Partial<Suppression>[]) => {
      const damaged: string[] = [];
      const wanted = await concernedFindings(changed.map(suppression));
      const targets = await targetsWith(room.redis, fleet.keys, wanted, ({ message }) =>
        damaged.push(message),
      );
      return { targets: targets.toSorted(), damaged: damaged.length };
    };
    const scope = { ecosystem: 'npm', name: 'lodash' };
    const all = ['api', 'new', 'old', 'web'];
    expect(await found({ package: scope })).toEqual({ targets: all, damaged: 1 });
    expect(await found({ package: { ...scope, versions: '<5' } })).toMatchObject({
      targets: ['api', 'old', 'web'],
    });
    expect(await found({ package: scope, labels: { team: 'w*' } })).toEqual({
      targets: ['new', 'old', 'web'],
      damaged: 0,
    });
    // Expired or not: the end of a suppression concerns the same findings.
    expect(await found({ advisories: ['ghsa-LODASH'], target: 'api', expires: AT })).toEqual({
      targets: ['api'],
      damaged: 0,
    });
    expect(await found({ package: { ecosystem: 'npm', name: '*-cors' } })).toMatchObject({
      targets: ['cors'],
    });
    expect(await found({ rule: 'deprecated', all: true })).toMatchObject({ targets: [] });
    expect(
      await found({ rule: 'vulnerability', target: '?', all: true }, { target: 'n*', all: true }),
    ).toMatchObject({
      targets: ['new'],
    });
    const many = Array.from({ length: 30 }, (_, index) => ({ advisories: [`GHSA-${index}`] }));
    expect(await found(...many, { advisories: ['GHSA-lodash'] })).toMatchObject({ targets: all });
    expect(await found()).toEqual({ targets: [], damaged: 0 });
  });
});

describe('the log of changes', () => {
  it('is read newest first since a time, over more entries than one command reads', async () => {
    const fleet = openFleet(room.redis, 'log');
    const log = createChangeLog(room.redis, fleet.keys);
    expect(await gathered(log.since(0))).toEqual([]);
    const change = {
      transition: 'opened',
      fingerprint: 'f',
      rule: 'vulnerability',
      level: 'alert',
      severity: 'high',
      purl: 'pkg:npm/a@1.0.0',
      title: 'A title'.repeat(1_000),
    } as const;
    for (let index = 0; index < 250; index += 1) await fleet.save('t', [], { log: [change] });
    await room.redis.xadd(fleet.keys.changes, '*', 'other', 'field');
    const damaged: string[] = [];
    const found = await gathered(log.since(0, ({ message }) => damaged.push(message)));
    expect(found.map(({ scan }) => scan)).toEqual(
      Array.from({ length: 250 }, (_, index) => `t-s${250 - index}`),
    );
    expect(found[0]?.changes).toEqual([change]);
    expect(damaged).toHaveLength(1);
    const half = found[100]?.at ?? 0;
    const later = await gathered(log.since(half));
    expect(later.length).toBeGreaterThanOrEqual(101);
    expect(later.every(({ at }) => at >= half)).toBe(true);
    expect(await gathered(log.since(Date.now() + 60_000))).toEqual([]);
  });
});
