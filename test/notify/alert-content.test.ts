import { describe, expect, it } from 'vitest';
import type { NotifiedChange } from '../../src/model/alert/notification.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import { alertOf } from '../../src/notify/alert/alert.ts';
import { lineOf } from '../../src/notify/alert/message.ts';
import { packageGroups } from '../../src/notify/alert/package-groups.ts';
import { valuesOf } from '../../src/notify/rendering/values.ts';
import { changeOf, notificationOf } from './notification.ts';

type Fix = NonNullable<Finding['fixes']>[number];

const evidence = { candidates: [], lookedAt: 1, requirements: [], graphs: [] };
const upgrade: Fix = {
  kind: 'upgrade-direct',
  path: 'package-lock.json',
  version: '1.3.0',
  changes: [{ name: 'express', from: '4.17.1', to: '4.21.0', how: 'upgrade' }],
  commands: ['npm install express@4.21.0'],
  evidence,
};

function full(name: string, fix: Fix = upgrade, change: Partial<NotifiedChange> = {}): NotifiedChange {
  const made = changeOf(name);
  return {
    ...made,
    since: '2026-01-31T06:00:00Z',
    finding: {
      ...made.finding,
      package: { ...made.finding.package, direct: false },
      locations: [
        {
          path: 'package-lock.json',
          line: 7,
          dependencyPath: ['express@4.17.1', 'body-parser@1.19.0', `${name}@1.2.3`],
        },
      ],
      priority: { score: 82, parts: [{ name: 'severity', points: 45, reason: 'CVSS 7.5' }] },
      fixes: [fix],
    },
    ...change,
  };
}

const slack = (...changes: readonly NotifiedChange[]): string => {
  const { blocks } = {
    blocks: JSON.parse(valuesOf(alertOf(notificationOf(changes)), {}).get('SLACK_BLOCKS')?.json ?? ''),
  };
  return blocks[1].text.text;
};

describe('an alert', () => {
  it('says what is new, why it matters, who brings it, what to do and since when', () => {
    expect(lineOf(full('qs', upgrade, { transition: 'worsened' }))).toBe(
      'worsened high: Prototype pollution (qs@1.2.3, GHSA-aaaa-bbbb-cccc) · priority 82: CVSS 7.5 · ' +
        'via express@4.17.1 › body-parser@1.19.0 · ' +
        'to do: upgrade express 4.17.1 → 4.21.0: npm install express@4.21.0 · open since 2026-01-31',
    );
    expect(slack(full('qs'))).toBe(
      [
        '*qs@1.2.3* · package-lock.json:7 · via express@4.17.1 › body-parser@1.19.0',
        '• *opened* high: Prototype pollution <https://osv.dev/GHSA-aaaa-bbbb-cccc|GHSA-aaaa-bbbb-cccc>',
        '   _priority 82: CVSS 7.5 · open since 2026-01-31_',
        '→ to do: upgrade express 4.17.1 → 4.21.0: npm install express@4.21.0',
      ].join('\n'),
    );
  });

  it('asks for nothing when a finding is resolved', () => {
    const line = lineOf(full('qs', upgrade, { transition: 'resolved' }));
    expect(line).not.toContain('to do');
    expect(line).toContain('was open since 2026-01-31');
  });

  it.each<[Partial<Fix>, string]>([
    [
      {
        kind: 'in-range',
        changes: [{ name: 'qs', from: '1.0.0', to: '1.0.1', how: 're-lock' }],
        commands: ['npm update qs'],
      },
      'to do: lock again (qs 1.0.0 → 1.0.1): npm update qs',
    ],
    [{ kind: 'override', commands: [] }, 'to do: only an override (express 4.17.1 → 4.21.0) clears it'],
    [
      { kind: 'held-by-pin', changes: [], reason: 'package.json forces 1.2.3' },
      'held by a pin of the project: package.json forces 1.2.3',
    ],
    [{ kind: 'held-by-cooldown', changes: [], until: '2026-02-01T00:00:00Z' }, 'held until 2026-02-01'],
    [{ kind: 'none', changes: [], commands: [] }, 'there is no fix'],
    [
      { kind: 'unknown', changes: [], commands: [], reason: 'the index has no graph' },
      'it is not known whether there is a fix: the index has no graph',
    ],
  ])('has the advice %j', (fix, text) => {
    expect(lineOf(full('qs', { ...upgrade, ...fix }))).toContain(` · ${text} · `);
  });

  it('groups a digest by package, the highest priority first', () => {
    const low = full('a');
    const [other] = [
      { ...low, finding: { ...low.finding, title: 'Another', priority: { score: 10, parts: [] } } },
    ];
    const changes = [other, full('b'), low];
    const { groups, leftOut } = packageGroups(alertOf(notificationOf(changes)), 1_000_000, () => 1);
    expect(groups.map((group) => [group.name, group.changes.map(({ title }) => title)])).toEqual([
      ['b@1.2.3', ['Prototype pollution']],
      ['a@1.2.3', ['Prototype pollution', 'Another']],
    ]);
    expect(leftOut).toBe(0);
  });

  it('lists what a person reads at once, and counts the rest', () => {
    const alert = alertOf(notificationOf(Array.from({ length: 100 }, (_, index) => full(`p${index}`))));
    expect(packageGroups(alert, 1_000_000, () => 1)).toMatchObject({ leftOut: 75 });
    expect(packageGroups(alert, 10, () => 1).leftOut).toBe(90);
  });
});
