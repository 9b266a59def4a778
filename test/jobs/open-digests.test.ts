import { expect, it } from 'vitest';
import type { TargetFindings } from '../../src/fleet/fleet.ts';
import { type GatherDigest, gatherDigest } from '../../src/jobs/gather-digest.ts';
import type { RouteRule, Routing } from '../../src/model/alert/routing.ts';
import type { TrackedFinding } from '../../src/model/scan/change.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import { changeOf } from '../notify/notification.ts';
import { context, ports } from './facts.ts';

const DAY_MS = 86_400_000;
const WINDOW = '2026-03-02T08:00:00.000Z';

function tracked(severity: Severity, days: number, more: Partial<TrackedFinding> = {}): TrackedFinding {
  const { finding } = changeOf(`open-${severity}-${days}`);
  const at = new Date(Date.parse(WINDOW) - days * DAY_MS).toISOString();
  return { finding: { ...finding, severity }, status: 'open', openedAt: at, changedAt: at, ...more };
}

function rule(name: string, match: RouteRule['match'] = {}, rest = false): RouteRule {
  return { name, mode: 'digest', match, rest };
}

async function remind(
  targets: Readonly<Record<string, readonly TrackedFinding[]>>,
  rules: readonly RouteRule[],
  payload: Partial<Extract<GatherDigest, { of: 'overdue' }>> = {},
  other?: GatherDigest,
) {
  const given = ports({});
  const routing: Routing = { take: 'all', firstScan: 'all', rules };
  async function* openTargets(): AsyncGenerator<TargetFindings> {
    for (const [id, findings] of Object.entries(targets)) {
      yield { target: { id, labels: { team: id } }, findings, open: { critical: 1 } };
    }
  }
  const run = await gatherDigest.run(
    other ?? {
      of: 'overdue',
      window: WINDOW,
      after: { critical: 7 * DAY_MS, high: 30 * DAY_MS },
      routes: rules.map(({ name }) => name),
      ...payload,
    },
    {
      ...given,
      policy: {
        ...given.policy,
        policy: () => ({ ...given.policy.policy(), dueIn: { critical: 10 * DAY_MS } }),
      },
      routing: { routing: () => routing },
      fleet: { ...given.fleet, openTargets },
    },
    context(),
  );
  return { ...run, sent: (run.deliveries ?? []).map(({ notification }) => notification) };
}

const names = (changes: readonly { readonly finding: TrackedFinding['finding'] }[] = []) =>
  changes.map(({ finding }) => finding.package.name);

it('sends what is open for longer than its severity permits, in one digest for each route', async () => {
  const { sent, result, next } = await remind(
    {
      shop: [tracked('critical', 8), tracked('critical', 6), tracked('high', 8), tracked('medium', 400)],
      api: [tracked('high', 31)],
    },
    [rule('security'), rule('criticals', { minSeverity: 'critical' })],
  );
  expect(result).toEqual({ digests: 2 });
  expect(next.map(({ job }) => job)).toEqual(['deliver-notification', 'deliver-notification']);
  const [security, criticals] = sent;
  expect(security).toMatchObject({ route: 'security', mode: 'periodic', reminder: true, date: WINDOW });
  expect(names(security?.changes)).toEqual(['open-critical-8', 'open-high-31']);
  expect(security?.changes.map(({ target }) => target)).toEqual(['shop', 'api']);
  expect(security?.changes[0]).toMatchObject({ since: '2026-02-22T08:00:00.000Z' });
  expect(security?.changes[0]?.finding).toMatchObject({
    age: { days: 8 },
    due: '2026-03-04T08:00:00.000Z',
    priority: { score: 57 },
  });
  expect(names(criticals?.changes)).toEqual(['open-critical-8']);
  expect(criticals?.target.id).toBe('shop');
});

it('leaves out what is resolved, suppressed, a note, or was announced to no receiver', async () => {
  const critical = tracked('critical', 9);
  const { finding } = critical;
  const { result, deliveries } = await remind(
    {
      shop: [
        { ...critical, status: 'resolved' },
        { ...critical, announced: 'none' },
        { ...critical, finding: { ...finding, level: 'note' } },
        { ...critical, finding: { ...finding, suppressed: { by: 'x', source: 'command', reason: 'no' } } },
      ],
    },
    [rule('security')],
  );
  expect(result).toEqual({ digests: 0 });
  expect(deliveries).toEqual([]);
});

it('sends nothing to other routes, and what they take is not sent to the route of the rest', async () => {
  const open = { shop: [tracked('critical', 8)] };
  const rules = [rule('pager'), rule('default', {}, true)];
  expect((await remind(open, rules, { routes: ['default'] })).sent).toEqual([]);
  expect((await remind(open, rules, { routes: ['pager'] })).sent).toHaveLength(1);
});

it('has the same ids when it runs again, and others in the next week', async () => {
  const open = { shop: [tracked('critical', 8)] };
  const first = await remind(open, [rule('security')]);
  const again = await remind(open, [rule('security')]);
  const later = await remind(open, [rule('security')], { window: '2026-03-09T08:00:00.000Z' });
  const ids = [first, again, later].map(({ sent }) => sent[0]?.id);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
});

it('sends exceptions that can go to the routes of their owners, whatever severity they match on', async () => {
  const stale = (name: string, owners: string[], more: object = {}): TrackedFinding => {
    const one = tracked('low', 3);
    const finding = { ...one.finding, rule: 'stale-exception', level: 'note' as const, owners, ...more };
    return { ...one, finding: { ...finding, package: { ...finding.package, name } } };
  };
  const suppressed = { by: 's', reason: 'r' } as never;
  const { sent, result } = await remind(
    {
      shop: [
        stale('a', ['@web']),
        stale('b', ['@api']),
        stale('c', ['@web'], { suppressed }),
        { ...stale('d', ['@web']), status: 'resolved' },
        { ...tracked('critical', 9), finding: { ...tracked('critical', 9).finding, owners: ['@web'] } },
      ],
      site: [stale('e', ['@web'])],
    },
    [
      rule('web', { owners: ['@web'], minSeverity: 'high' }),
      rule('vulnerabilities', { owners: ['@web'], rules: ['vulnerability'] }),
      rule('all'),
      rule('left out', { owners: ['@*'] }),
    ],
    {},
    { of: 'exceptions', window: WINDOW, routes: ['web', 'vulnerabilities', 'all'] },
  );
  expect(result).toEqual({ digests: 1 });
  expect(sent[0]).toMatchObject({ route: 'web', reminder: true, date: WINDOW });
  expect(names(sent[0]?.changes).sort()).toEqual(['a', 'e']);
  expect(sent[0]?.changes.map(({ finding }) => finding.level)).toEqual(['note', 'note']);
});
