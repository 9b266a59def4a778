import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DIGEST_ENTRY } from '../../../src/model/stored/catalog.ts';
import { createDeliveryStore } from '../../../src/store/alerts/deliveries.ts';
import { writeValue } from '../../../src/store/values/stored-values.ts';
import { notificationOf } from '../../notify/notification.ts';
import { npmFile, tracked } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());
beforeEach(async () => {
  fleet = await cli.fresh();
});

async function targets(...args: readonly string[]) {
  const { code, out, note } = await lockhound(['targets', ...args, '--json']);
  return { code, note, answer: out === '' ? undefined : JSON.parse(out) };
}

async function listed(...args: readonly string[]) {
  const { answer } = await targets('list', ...args);
  return answer.targets.map(({ target }: { target: string }) => target);
}

describe('lockhound targets list', () => {
  it('has the worst first, with filters by label, worst finding, completeness and age', async () => {
    const file = npmFile('package-lock.json', ['a@1.0.0', 'b@1.0.0']);
    const web = { labels: { team: 'web' } };
    await fleet.save('sound', [file], web);
    await fleet.save('medium', [file], {
      ...web,
      findings: [tracked('medium', 'a@1.0.0', 'medium')],
      incomplete: true,
    });
    await fleet.save('critical', [file], {
      findings: [tracked('critical', 'a@1.0.0', 'critical'), tracked('critical', 'b@1.0.0', 'low')],
    });
    const { code, out } = await lockhound(['targets', 'list']);
    expect(code).toBe(0);
    expect(out).toBe(`total  3
targets (3)
  target    labels    packages  open               requested at          incomplete  stale
  critical            2         critical 1, low 1  2026-01-31 06:00 UTC  no          yes
  medium    team=web  2         medium 1           2026-01-31 06:00 UTC  yes         yes
  sound     team=web  2                            2026-01-31 06:00 UTC  no          yes
`);
    expect(await listed('--label', 'team=web')).toEqual(['medium', 'sound']);
    expect(await listed('--worst', 'high')).toEqual(['critical']);
    expect(await listed('--worst', 'medium')).toEqual(['critical', 'medium']);
    expect(await listed('--incomplete')).toEqual(['medium']);
    expect(await listed('--stale', '--limit', '1')).toEqual(['critical']);
  });

  it('has targets of releases without summaries, and names a damaged one', async () => {
    for (const name of ['a', 'b', 'c']) {
      await fleet.save(name, [], { findings: [tracked(name, 'x@1.0.0', 'high')] });
    }
    await fleet.redis.hdel(fleet.keys.targetSummaries, 'a');
    await fleet.redis.hset(fleet.keys.targetSummaries, 'b', '{');
    const { code, note, answer } = await targets('list');
    expect(answer.targets).toMatchObject([
      { target: 'a', open: { high: 1 } },
      { target: 'b', open: { high: 1 } },
      { target: 'c', open: { high: 1 } },
    ]);
    expect(code).toBe(2);
    expect(note).toContain('field b, holds a target-summary that cannot be read');
  });

  it('says when nothing is stored', async () => {
    expect((await targets('list')).note).toContain('no target is stored yet');
    expect((await targets('get', 'x')).note).toContain('no target is stored yet');
    expect((await targets('forget', 'x', '--yes')).note).toContain('no target is stored yet');
  });
});

describe('lockhound targets get', () => {
  it('shows lockfiles, findings and scans; ids may hold spaces and control characters', async () => {
    const id = 'my target\u001b[31m';
    const resolved = tracked(id, 'b@1.0.0', 'critical', { status: 'resolved' });
    await fleet.save(id, [npmFile('app/package-lock.json', ['a@1.0.0'])], {
      findings: [tracked(id, 'a@1.0.0', 'high'), resolved],
    });
    const { code, out } = await lockhound(['targets', 'get', id]);
    expect(code).toBe(0);
    expect(out).toMatch(/^summary\n {2}target +my target\\u001b\[31m\n/m);
    expect(out).toContain('lockfiles (1)\n  app/package-lock.json\n');
    expect(out).toMatch(/ {2}high +a@1\.0\.0 {2}GHSA-a +alert {2}2026-01-31 06:00 UTC {2}Something/);
    expect(out).not.toContain('b@1.0.0');
    const deliveries = createDeliveryStore(fleet.redis, fleet.keys);
    const common = { key: 'k', route: 'default', scan: 's', date: '2026-01-31T06:00:00Z' };
    await deliveries.file({ ...common, id: 'msg_1', target: id }, notificationOf());
    await deliveries.file({ ...common, id: 'msg_2', target: 'another' }, notificationOf());
    const { answer } = await targets('get', id);
    expect(answer).toMatchObject({ target: id });
    expect(answer.deliveries).toMatchObject([{ id: 'msg_1', target: id, state: 'waiting' }]);
  });

  it('names the nearest ids for an unknown one', async () => {
    for (const id of ['org/shop', 'org/shop-admin', 'org/billing']) await fleet.save(id, []);
    const { code, note } = await targets('get', 'org/shpo');
    expect(code).toBe(2);
    expect(note).toBe('error: there is no target org/shpo: did you mean org/shop? [target-unknown]\n');
    expect((await targets('get', 'SHOP')).note).toContain('did you mean org/shop, org/shop-admin?');
    expect((await targets('forget', 'zzzzzzzzzzzzz', '--yes')).note).toContain('see `lockhound targets`');
  });
});

describe('lockhound targets forget', () => {
  async function keysLeft() {
    const { keys } = fleet;
    const all = await fleet.redis.keys('*');
    const kept = ['fleet:package-', 'fleet:last-package-id', ':outcome:', ':changes'];
    return all
      .filter((key) => !kept.some((part) => key.includes(part)))
      .map((key) => key.slice(keys.prefix.length + 1))
      .sort();
  }

  it('removes state, summary, inventories and digest entries; shared inventories and other targets stay', async () => {
    const shared = npmFile('shared/package-lock.json', ['a@1.0.0']);
    await fleet.save('kept', [shared]);
    const before = await keysLeft();
    await fleet.save('gone', [shared, npmFile('package-lock.json', ['b@1.0.0'])], { incomplete: true });
    const entry = (target: string) =>
      writeValue(DIGEST_ENTRY, {
        scan: `${target}-scan`,
        target: { id: target, labels: {} },
        date: '2026-01-31T06:00:00Z',
        changes: [],
        open: { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 },
        gaps: 0,
        revision: 1,
      });
    await fleet.redis.sadd(fleet.keys.digestRoutes, 'weekly');
    for (const target of ['gone', 'kept']) {
      await fleet.redis.hset(fleet.keys.digest('weekly'), `${target}-scan`, await entry(target));
    }
    await fleet.redis.lpush(fleet.keys.targetDeliveries('gone'), 'msg_1');
    const { code, answer } = await targets('forget', 'gone', '--yes');
    expect(code).toBe(0);
    expect(answer).toEqual({
      target: 'gone',
      lockfiles: 2,
      inventories: 1,
      digestEntries: 1,
      unreadable: [],
    });
    expect(await keysLeft()).toEqual([...before, 'digest-routes', 'digest:weekly'].sort());
    expect(await fleet.redis.hkeys(fleet.keys.digest('weekly'))).toEqual(['kept-scan']);
    expect(await fleet.redis.hgetall(fleet.keys.inventoryUses)).toEqual({ [await hashOf('kept')]: '1' });
    expect(await fleet.redis.smembers(fleet.keys.incompleteTargets)).toEqual([]);
    expect(await listed()).toEqual(['kept']);
    const again = await targets('forget', 'gone', '--yes');
    expect(again.note).toContain('there is no target gone');
  });

  async function hashOf(target: string): Promise<string> {
    return (await fleet.targets.read(target))?.lockfiles?.[0]?.inventory ?? '';
  }

  it('asks on a terminal, and refuses without one', async () => {
    await fleet.save('shop', [npmFile('package-lock.json', ['a@1.0.0'])]);
    const refused = await lockhound(['targets', 'forget', 'shop']);
    expect(refused).toMatchObject({ code: 2, out: '', note: expect.stringContaining('use --yes') });
    const declined = await lockhound(['targets', 'forget', 'shop'], '', async () => false);
    expect(declined).toMatchObject({ code: 1, out: '' });
    expect(await listed()).toEqual(['shop']);
    const confirmed = await lockhound(['targets', 'forget', 'shop'], '', async () => true);
    expect(confirmed.code).toBe(0);
    expect(confirmed.out).toMatch(/^target +shop\nlockfiles +1\n/);
    expect((await fleet.targets.read('shop')) === undefined).toBe(true);
  });

  it('removes a target whose state is damaged, with its inventories as the summary names them', async () => {
    await fleet.save('shop', [npmFile('package-lock.json', ['a@1.0.0'])]);
    const keys = await keysLeft();
    expect(keys.some((key) => key.startsWith('fleet:inventory:'))).toBe(true);
    await fleet.redis.hset(fleet.keys.target('shop'), 'state', 'nonsense');
    const { code, answer } = await targets('forget', 'shop', '--yes');
    expect(code).toBe(0);
    expect(answer).toMatchObject({
      lockfiles: 1,
      inventories: 1,
      unreadable: [expect.stringContaining('target "shop"')],
    });
    expect(await keysLeft()).toEqual([]);
  });

  it('a scan that is saved afterwards is a first scan', async () => {
    await fleet.save('shop', [npmFile('package-lock.json', ['a@1.0.0'])]);
    await fleet.save('shop', [npmFile('package-lock.json', ['a@1.0.0'])]);
    await targets('forget', 'shop', '--yes');
    expect(await fleet.save('shop', [npmFile('package-lock.json', ['a@1.0.0'])])).toMatchObject({
      status: 'saved',
    });
    expect((await fleet.targets.read('shop'))?.revision).toBe(1);
    expect(await fleet.redis.hvals(fleet.keys.inventoryUses)).toEqual(['1']);
  });
});
