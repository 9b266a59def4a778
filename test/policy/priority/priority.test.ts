import { describe, expect, it } from 'vitest';
import type { Fix } from '../../../src/model/advice/fix.ts';
import type { Finding } from '../../../src/model/scan/finding.ts';
import { compareFindingOrder } from '../../../src/policy/finding-order.ts';
import { priorityOf, withPriority } from '../../../src/policy/priority/priority.ts';

type Changes = Partial<Omit<Finding, 'package' | 'advisory'>> & {
  readonly direct?: boolean;
  readonly groups?: readonly string[];
  readonly advisory?: Partial<NonNullable<Finding['advisory']>>;
};

function findingOf({ direct = false, groups = [], advisory, ...changes }: Changes = {}): Finding {
  return {
    fingerprint: 'f',
    rule: 'vulnerability',
    level: 'alert',
    severity: 'high',
    title: 'A title',
    package: { ecosystem: 'npm', name: 'a', version: '1', purl: 'pkg:npm/a@1', direct, groups },
    locations: [],
    advisory: { id: 'GHSA-1', aliases: ['CVE-1'], title: 't', url: 'https://example.com', ...advisory },
    ...changes,
  };
}

const points = (finding: Finding, input = {}) =>
  Object.fromEntries(priorityOf(finding, input).parts.map((part) => [part.name, part.points]));

describe('the priority of a finding', () => {
  it.each<[string, Finding, Record<string, number>, number]>([
    ['a score', findingOf({ severity: 'critical', advisory: { score: 9.8 } }), { severity: 59 }, 59],
    [
      'no score: a normal finding',
      findingOf({ severity: 'unrated', countsAs: 'medium' }),
      { severity: 33 },
      33,
    ],
    ['the severity of a rule', findingOf({ severity: 'critical' }), { severity: 57 }, 57],
    [
      'a severity that the score does not give',
      findingOf({ advisory: { score: 9.8 } }),
      { severity: 48 },
      48,
    ],
    [
      'malware',
      findingOf({ severity: 'critical', advisory: { id: 'MAL-2026-1', score: 1 } }),
      { severity: 100 },
      100,
    ],
    [
      'known exploitation',
      findingOf({ kev: { listed: true, added: '2026-01-01' } }),
      { severity: 48, kev: 25 },
      73,
    ],
    [
      'ransomware, up to the maximum',
      findingOf({
        severity: 'critical',
        advisory: { score: 10 },
        kev: { listed: true, ransomware: true },
        direct: true,
        epss: epss(0.9),
      }),
      { severity: 60, kev: 25, ransomware: 5, epss: 15, direct: 5 },
      100,
    ],
    ['a catalogue that does not list it', findingOf({ kev: { listed: false } }), { severity: 48 }, 48],
    ['a low probability', findingOf({ epss: epss(0.0099) }), { severity: 48, epss: 0 }, 48],
    ['some probability', findingOf({ epss: epss(0.01) }), { severity: 48, epss: 4 }, 52],
    ['more probability', findingOf({ epss: epss(0.1) }), { severity: 48, epss: 10 }, 58],
    ['a high probability', findingOf({ epss: epss(0.5) }), { severity: 48, epss: 15 }, 63],
    ['development only', findingOf({ groups: ['dev', 'test'] }), { severity: 48, group: -15 }, 33],
    ['another condition', findingOf({ groups: ['dev', 'optional'] }), { severity: 48, group: -5 }, 43],
    ['never below zero', findingOf({ severity: 'none', groups: ['dev'] }), { severity: 0, group: -15 }, 0],
  ])('%s', (_, finding, parts, score) => {
    expect(points(finding)).toEqual(parts);
    expect(priorityOf(finding).score).toBe(score);
  });

  it('counts the fix and the number of targets', () => {
    const fixed = (...kinds: readonly Fix['kind'][]) => ({
      ...findingOf(),
      fixes: kinds.map((kind) => ({ kind }) as Fix),
    });
    expect(points(fixed('upgrade-direct', 'in-range'), { targets: 9 })).toEqual({
      severity: 48,
      fix: 5,
      targets: 3,
    });
    expect(points(fixed('upgrade-direct'), { targets: 1 })).toEqual({ severity: 48, fix: 3 });
    expect(points(fixed('none', 'override'), { targets: 1_000_000 })).toEqual({ severity: 48, targets: 5 });
  });

  it('counts development once: its group lowers the priority, `policy.developmentStep` only what the severity counts as', () => {
    const finding = { ...findingOf({ groups: ['dev'] }), stepsLess: 2 };
    expect(points(finding)).toEqual({ severity: 48, group: -15 });
  });

  it('says what each part comes from', () => {
    const finding = findingOf({
      advisory: { score: 7.5, scoredBy: 'CVE-1' },
      kev: { listed: true, added: '2021-12-10' },
      epss: epss(0.9444),
      groups: ['dev'],
    });
    expect(priorityOf(finding).parts.map(({ reason }) => reason)).toEqual([
      'CVSS 7.5 by CVE-1',
      'known to be exploited since 2021-12-10',
      'EPSS 94 %',
      'only in dev',
    ]);
    expect(priorityOf(findingOf({ severity: 'unrated' })).parts[0]?.reason).toBe(
      'no score, counts as medium',
    );
  });

  it('puts an exploited medium before a critical that is not, and notes last', () => {
    const exploited = findingOf({
      severity: 'medium',
      advisory: { score: 6 },
      kev: { listed: true },
      title: 'exploited',
    });
    const critical = findingOf({ severity: 'critical', advisory: { score: 9.8 }, title: 'critical' });
    const note = findingOf({ level: 'note', advisory: { id: 'MAL-1' }, title: 'note' });
    const sorted = [note, critical, exploited].map((one) => withPriority(one)).sort(compareFindingOrder);
    expect(sorted.map(({ title }) => title)).toEqual(['exploited', 'critical', 'note']);
  });
});

function epss(score: number) {
  return { score, percentile: 0.5 };
}
