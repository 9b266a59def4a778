import { describe, expect, it } from 'vitest';
import type { RouteMatch, RouteRule } from '../../src/model/alert/routing.ts';
import type { Change } from '../../src/model/scan/change.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import { routeChanges } from '../../src/policy/routing/route-changes.ts';
import { changeOf } from '../notify/notification.ts';

const target = { id: 'shop', labels: { team: 'checkout-web', tier: '1' } };

function change(
  severity: Severity,
  more: Partial<Change> & Partial<Pick<Finding, 'rule' | 'level' | 'countsAs'>> & { ecosystem?: string } = {},
): Change {
  const { ecosystem = 'npm', rule = 'vulnerability', level = 'alert', countsAs, ...others } = more;
  const made = changeOf('a');
  const rating = { severity, level, ...(countsAs === undefined ? {} : { countsAs }) };
  const finding = { ...made.finding, ...rating, rule, package: { ...made.finding.package, ecosystem } };
  return { ...made, finding, ...others };
}

function exploited(severity: Severity, facts: Pick<Finding, 'kev' | 'epss'>): Change {
  const made = change(severity);
  return { ...made, finding: { ...made.finding, ...facts } };
}

function withDirect(...stated: readonly (boolean | undefined)[]): readonly Change[] {
  return stated.map((direct) => {
    const made = change('low');
    return { ...made, finding: { ...made.finding, package: { ...made.finding.package, direct } } };
  });
}

const rule = (name: string, match: RouteMatch, rest = false): RouteRule => ({
  name,
  match,
  rest,
  mode: 'digest',
});

/** An issue without a CVE is in no list. */
function withoutCve(): Change {
  const made = change('low');
  const advisory = { id: 'GHSA-1', title: 'x', aliases: [], url: '' };
  return { ...made, finding: { ...made.finding, advisory } };
}

async function routed(
  rules: readonly RouteRule[],
  changes: readonly Change[],
  take: 'all' | 'first' = 'all',
) {
  const taken = await routeChanges({ take, firstScan: 'all', rules }, target, changes);
  return taken.map((one) => `${one.rule.name} ${one.changes.join(',')}`);
}

describe('routes', () => {
  it.each<[string, RouteMatch, readonly Change[], string]>([
    ['everything', {}, [change('low')], '0'],
    ['direct dependencies, and what may be one', { direct: true }, withDirect(true, false, undefined), '0,2'],
    [
      'what is no direct dependency, or may be none',
      { direct: false },
      withDirect(true, false, undefined),
      '1,2',
    ],
    [
      'known exploitation, and what no list states',
      { kev: true },
      [
        change('low'),
        exploited('low', { kev: { listed: true } }),
        exploited('low', { kev: { listed: false } }),
        withoutCve(),
      ],
      '0,1',
    ],
    [
      'no known exploitation',
      { kev: false },
      [
        change('low'),
        exploited('low', { kev: { listed: true } }),
        exploited('low', { kev: { listed: false } }),
      ],
      '0,2',
    ],
    [
      'probability of exploitation, and what has no score',
      { minEpss: 0.1 },
      [
        change('low'),
        exploited('low', { epss: { score: 0.1, percentile: 0.9 } }),
        exploited('critical', { epss: { score: 0.09, percentile: 0.9 } }),
        withoutCve(),
      ],
      '0,1',
    ],
    [
      'severity, unrated as what it counts as',
      { minSeverity: 'medium' },
      [change('medium'), change('unrated'), change('low')],
      '0,1',
    ],
    [
      'no unrated one that counts as less',
      { minSeverity: 'medium' },
      [change('unrated', { countsAs: 'low' }), change('unrated', { countsAs: 'high' })],
      '1',
    ],
    ['no notes', {}, [change('critical', { level: 'note' }), change('low')], '1'],
    [
      'ecosystem',
      { ecosystems: ['pypi', 'cargo'] },
      [change('low'), change('low', { ecosystem: 'cargo' })],
      '1',
    ],
    ['rule', { rules: ['vanished'] }, [change('low', { rule: 'vanished' }), change('low')], '0'],
    [
      'transition',
      { transitions: ['resolved'] },
      [change('low'), change('low', { transition: 'resolved' })],
      '1',
    ],
    ['label', { labels: { team: ['other', 'checkout-*'], tier: ['1'] } }, [change('low')], '0'],
    ['two stars', { labels: { team: ['*out*web'] } }, [change('low')], '0'],
    [
      'a resolution of what was worse before',
      { minSeverity: 'high' },
      [change('low', { transition: 'resolved', previousSeverity: 'high' })],
      '0',
    ],
  ])('match by %s', async (_what, match, changes, expected) => {
    expect(await routed([rule('r', match)], changes)).toEqual([`r ${expected}`]);
  });

  it.each<RouteMatch>([
    { labels: { team: ['checkout'] } },
    { labels: { nobody: ['*'] } },
    { labels: { constructor: ['*'] } },
    { labels: { team: ['checkout-web*web'] } },
    { labels: { team: ['checkout-*'] }, minSeverity: 'high' },
  ])('do not accept changes that do not match: %j', async (match) => {
    expect(await routed([rule('r', match)], [change('low')])).toEqual([]);
  });

  it('share changes: all matching routes get one, or only the first; `rest` gets the others', async () => {
    const rules = [
      rule('high', { minSeverity: 'high' }),
      rule('npm', { ecosystems: ['npm'] }),
      rule('default', {}, true),
    ];
    const changes = [
      change('critical'),
      change('low'),
      change('high', { ecosystem: 'go' }),
      change('low', { ecosystem: 'go' }),
    ];
    expect(await routed(rules, changes)).toEqual(['high 0,2', 'npm 0,1', 'default 3']);
    expect(await routed(rules, changes, 'first')).toEqual(['high 0,2', 'npm 1', 'default 3']);
  });

  it('apply the match of `rest` routes too', async () => {
    expect(
      await routed([rule('default', { minSeverity: 'medium' }, true)], [change('low'), change('high')]),
    ).toEqual(['default 1']);
  });
});

it('reads each change a fixed number of times, for any number of changes', async () => {
  let reads = 0;
  const changes = Array.from({ length: 20_000 }, () =>
    Object.defineProperty({ ...change('high') }, 'finding', {
      get() {
        reads += 1;
        return change('high').finding;
      },
    }),
  );
  const [one] = await routeChanges(
    { take: 'all', firstScan: 'all', rules: [rule('all', { minSeverity: 'low' })] },
    target,
    changes,
  );
  expect(one?.changes).toHaveLength(changes.length);
  expect(reads).toBeLessThanOrEqual(3 * changes.length);
});
