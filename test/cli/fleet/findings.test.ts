import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../seeded-random.ts';
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

async function found(...args: readonly string[]): Promise<readonly string[]> {
  const { out } = await lockhound(['findings', '--json', ...args]);
  return JSON.parse(out).findings.map(
    ({ target, finding }: { target: string; finding: { package: { name: string } } }) =>
      `${target} ${finding.package.name}`,
  );
}

describe('lockhound findings', () => {
  it('lists the worst first, by issue, with filters', async () => {
    const a = tracked('a', 'lodash@4.17.20', 'high');
    const deprecated = tracked('b', 'old@1.0.0', 'low', { finding: { rule: 'deprecated' } });
    const note = tracked('b', 'noted@1.0.0', 'critical', { finding: { level: 'note' } });
    const direct = tracked('b', 'ours@1.0.0', 'unrated', {
      changedAt: '2026-05-01T00:00:00Z',
      finding: {
        countsAs: 'high',
        package: {
          ecosystem: 'pypi',
          name: 'ours',
          version: '1',
          purl: 'pkg:pypi/ours@1',
          direct: true,
          groups: [],
        },
      },
    });
    const resolved = tracked('c', 'gone@1.0.0', 'critical', { status: 'resolved' });
    await fleet.save('a', [], { findings: [a], labels: { team: 'web' } });
    await fleet.save('b', [], {
      findings: [deprecated, note, direct, tracked('b', 'lodash@4.17.20', 'high')],
    });
    await fleet.save('c', [], { findings: [resolved] });
    const { code, out } = await lockhound(['findings']);
    expect(code).toBe(0);
    expect(out).toBe(`unrated  7.5  ours 1          GHSA-ours    b                Something is wrong with ours
high     7.5  lodash 4.17.20  GHSA-lodash  2 targets: a, b  Something is wrong with lodash
low      7.5  old 1.0.0       GHSA-old     b                Something is wrong with old

4 findings of 3 issues in 2 targets: 2 high, 1 unrated, 1 low
`);
    expect(await found('--target', 'b')).toEqual(['b ours', 'b lodash', 'b old']);
    expect(await found('--label', 'team=web')).toEqual(['a lodash']);
    expect(await found('--rule', 'deprecated,vanished')).toEqual(['b old']);
    expect(await found('--severity', 'high')).toEqual(['b ours', 'a lodash', 'b lodash']);
    expect(await found('--severity', 'critical')).toEqual([]);
    expect(await found('--state', 'resolved')).toEqual(['c gone']);
    expect(await found('--state', 'all', '--severity', 'critical')).toEqual(['c gone']);
    expect(await found('--ecosystem', 'python')).toEqual(['b ours']);
    expect(await lockhound(['findings', '--ecosystem', 'pypy'])).toMatchObject({
      code: 2,
      note: expect.stringContaining('"pypy" is not an ecosystem of findings'),
    });
    expect(await found('--direct')).toEqual(['b ours']);
    expect(await found('--since', '2026-04-30')).toEqual(['b ours']);
    expect(await found('--notes', '--severity', 'critical')).toEqual(['b noted']);
    expect(await found('--limit', '2')).toEqual(['b ours', 'a lodash']);
  });

  it('holds the worst ones when there are many, and counts the others', async () => {
    const severities = ['critical', 'high', 'medium', 'low'] as const;
    for (let target = 0; target < 10; target += 1) {
      const findings = Array.from({ length: 600 }, (_, index) =>
        tracked(`t${target}`, `p${index}@1.0.0`, severities[(index + target) % 4] ?? 'low'),
      );
      await fleet.save(`t${target}`, [], { findings });
    }
    const { out } = await lockhound(['findings', '--json', '--limit', '1600']);
    const { total, findings } = JSON.parse(out);
    expect([total, findings.length]).toEqual([6_000, 1_600]);
    const counts = Map.groupBy(
      findings as readonly { readonly finding: { readonly severity: string } }[],
      ({ finding }) => finding.severity,
    );
    expect(counts.get('critical')).toHaveLength(1_500);
    expect(counts.get('high')).toHaveLength(100);
    const text = (await lockhound(['findings', '--limit', '1'])).out;
    expect(text).toContain('6000 findings of');
    expect(text).toContain('--limit shows them');
  });

  it('lists the same from stored alerts as from states', async () => {
    const random = seededRandom(11);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    for (const target of ['a', 'b', 'c', 'd']) {
      const findings = Array.from({ length: 12 }, (_, index) => {
        const status = pick(['open', 'open', 'resolved'] as const);
        const level = pick(['alert', 'alert', 'note'] as const);
        const groups = pick([[], ['dev']]);
        const locked = { ecosystem: 'npm', name: `p${index}`, version: '1', purl: `pkg:npm/p${index}@1` };
        return tracked(target, `p${index}@1`, pick(['critical', 'high', 'low', 'unrated']), {
          status,
          finding: { level, package: { ...locked, direct: pick([true, false]), groups } },
        });
      });
      await fleet.save(target, [], { findings, labels: { team: pick(['web', 'ops']) } });
    }
    // Its alerts are not known.
    await fleet.redis.hdel(fleet.keys.alertsOfTargets, 'b');
    const [removed = ''] = await fleet.redis.hkeys(fleet.keys.openAlerts);
    await fleet.redis.hdel(fleet.keys.openAlerts, removed);
    const filters = [
      [],
      ['--severity', 'high'],
      ['--label', 'team=web'],
      ['--direct'],
      ['--without-groups', 'dev'],
    ];
    for (const filter of filters) {
      const json = async (...args: readonly string[]) =>
        JSON.parse((await lockhound(['findings', ...filter, '--json', ...args])).out);
      const [all, listed] = [await json(), await json('--limit', '1000')];
      expect(listed).toEqual(all);
      const counted = JSON.parse((await lockhound(['findings', 'count', ...filter, '--json'])).out);
      expect(counted.total).toBe(all.total);
    }
  });

  it('lists the others where one state is damaged, and names it', async () => {
    for (const name of ['a', 'b'])
      await fleet.save(name, [], { findings: [tracked(name, 'x@1.0.0', 'high')] });
    await fleet.redis.hset(fleet.keys.target('a'), 'state', 'nonsense');
    expect(await found()).toEqual(['b x']);
    // Counts need no states.
    expect((await lockhound(['findings', 'count'])).out).toMatch(/^total +2\nseverities +/);
    const { code, note } = await lockhound(['findings', '--target', 'a']);
    expect(code).toBe(2);
    expect(note).toContain('1 stored value cannot be read');
    expect(note).toContain('target "a"');
    const unknown = await lockhound(['findings', '--target', 'c']);
    expect(unknown.note).toContain('there is no target c');
  });

  it('prints hostile texts so that they cannot alter the terminal', async () => {
    const hostile = tracked('t', 'x@1.0.0', 'high', { finding: { title: 'a\u001b[2Jb\u202ec\nd' } });
    await fleet.save('t', [], { findings: [hostile] });
    const { out } = await lockhound(['findings']);
    expect(out).toContain('a\\u001b[2Jb\\u202ec\\u000ad');
  });

  it('says when nothing is stored', async () => {
    expect((await lockhound(['findings'])).note).toContain('no target is stored yet');
  });
});

describe('lockhound changes', () => {
  const change = (
    transition: 'opened' | 'resolved',
    name: string,
    severity: 'critical' | 'low',
    rule = 'vulnerability',
  ) => ({
    transition,
    fingerprint: name,
    rule,
    level: 'alert' as const,
    severity,
    purl: `pkg:npm/${name}@1.0.0`,
    title: `About ${name}`,
    advisory: `GHSA-${name}`,
  });

  it('shows what changed since a time, newest first, with filters', async () => {
    await fleet.save('a', [], {
      labels: { team: 'web' },
      log: [change('opened', 'x', 'critical'), change('opened', 'y', 'low')],
    });
    await fleet.save('b', [], { log: [change('resolved', 'z', 'low', 'deprecated')] });
    const { code, out } = await lockhound(['changes', '--since', '1h']);
    expect(code).toBe(0);
    expect(out.replaceAll(/\d{4}-\S+ \S+ UTC/g, 'TIME')).toBe(`scans (2)
  b
    at    TIME
    scan  b-s2
    changes (1)
      transition  severity  purl             advisory  rule        level  title
      resolved    low       pkg:npm/z@1.0.0  GHSA-z    deprecated  alert  About z
  a
    at      TIME
    labels  team=web
    scan    a-s1
    changes (2)
      transition  severity  purl             advisory  rule           level  title
      opened      critical  pkg:npm/x@1.0.0  GHSA-x    vulnerability  alert  About x
      opened      low       pkg:npm/y@1.0.0  GHSA-y    vulnerability  alert  About y
`);
    const names = async (...args: readonly string[]) => {
      const answer = JSON.parse((await lockhound(['changes', '--since', '1h', '--json', ...args])).out);
      return answer.scans.flatMap(({ changes }: { changes: readonly { purl: string }[] }) =>
        changes.map(({ purl }) => purl),
      );
    };
    expect(await names('--severity', 'high')).toEqual(['pkg:npm/x@1.0.0']);
    expect(await names('--target', 'b')).toEqual(['pkg:npm/z@1.0.0']);
    expect(await names('--label', 'team=web')).toEqual(['pkg:npm/x@1.0.0', 'pkg:npm/y@1.0.0']);
    expect(await names('--rule', 'deprecated')).toEqual(['pkg:npm/z@1.0.0']);
    expect(await names('--limit', '1')).toEqual(['pkg:npm/z@1.0.0']);
    expect((await lockhound(['changes', '--since', '2999-01-01'])).out).toBe('scans  none\n');
    const limited = await lockhound(['changes', '--since', '1h', '--limit', '1']);
    expect(limited.out).toMatch(/^scans \(1\)[\s\S]*… and more: --limit shows them\n$/);
  });

  it('names a damaged entry', async () => {
    await fleet.save('a', [], { log: [change('opened', 'x', 'critical')] });
    await fleet.redis.xadd(fleet.keys.changes, '*', 'changes', '{');
    const { code, out, note } = await lockhound(['changes', '--since', '1h']);
    expect(code).toBe(2);
    expect(out).toContain('changes (1)');
    expect(note).toContain('holds a logged-changes that cannot be read');
  });
});

it('a target with a lockfile and no findings is not an error', async () => {
  await fleet.save('sound', [npmFile('package-lock.json', ['a@1.0.0'])]);
  expect(await lockhound(['findings'])).toMatchObject({ code: 0, out: 'No findings fit.\n' });
});
