import { describe, expect, it } from 'vitest';
import { identityOf, payloadOf } from '../../src/jobs/payloads/deliver-notification.ts';
import { recordVerdict } from '../../src/jobs/scan/record-verdict.ts';
import type { Notification, NotificationMode } from '../../src/model/alert/notification.ts';
import type { FirstScan, RouteMatch, RouteRule } from '../../src/model/alert/routing.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { Gap } from '../../src/model/scan/gap.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import { actionOf, alertOf, dedupKeyOf } from '../../src/notify/alert/alert.ts';
import { titleOf } from '../../src/notify/alert/message.ts';
import { fingerprintOf } from '../../src/policy/same-finding.ts';
import { changeOf } from '../notify/notification.ts';
import { ports } from './facts.ts';

const TARGET = { id: 'shop', labels: {} };
const HOUR = 3_600_000;

interface ScanOptions {
  readonly gaps?: readonly Gap[];
  readonly afterHours?: number;
}

/**
 * A target whose scans are concluded one after another. Returns the notifications of each, and the changes that wait
 * for digests.
 */
function target(firstScan: FirstScan, rules: readonly RouteRule[]) {
  let state: TargetState | undefined;
  let scans = 0;
  let at = Date.parse('2026-05-01T00:00:00Z');
  return {
    state: () => state,
    async scan(findings: readonly Finding[], { gaps = [], afterHours = 1 }: ScanOptions = {}) {
      scans += 1;
      at += afterHours * HOUR;
      const hidden = new Set(gaps.map(({ subject }) => subject));
      const run = await recordVerdict(
        {
          scan: `scan-${scans}`,
          target: TARGET,
          requestedAt: new Date(at).toISOString(),
          judgedAt: 0,
          findings,
          partial: false,
          paths: ['package-lock.json'],
          stillOpen: (finding) => (hidden.has(finding.locations[0]?.path ?? '') ? finding : undefined),
          gaps,
          previous: state,
          firstScan,
        },
        {
          routing: { routing: () => ({ take: 'all', firstScan, rules }) },
          policy: ports({}).policy,
        },
      );
      const saved = run.state;
      if (saved === undefined || !('state' in saved)) throw new Error('a scan has a state');
      state = saved.state;
      const sent = (run.deliveries ?? []).map(({ identity, notification }) => {
        // A delivery that is sent again has the same id.
        expect(identityOf(payloadOf(identity))).toEqual(identity);
        return notification;
      });
      expect(run.next).toHaveLength(sent.length);
      return { sent, digests: saved.digests ?? [], verdict: run.result };
    },
  };
}

function route(name: string, mode: NotificationMode, match: RouteMatch = {}): RouteRule {
  return { name, mode, match, rest: false };
}

function found(name: string, severity: Severity = 'high', path = 'package-lock.json'): Finding {
  const { finding } = changeOf(name);
  const { purl } = finding.package;
  return {
    ...finding,
    severity,
    fingerprint: fingerprintOf('shop', 'vulnerability', purl, 'GHSA-1'),
    locations: [{ path, line: 1, dependencyPath: [] }],
  };
}

const many = (count: number, severity?: Severity) =>
  Array.from({ length: count }, (_, index) => found(`package-${index}`, severity));

/** Route, action, title and number of listed changes of each alert. */
const said = (sent: readonly Notification[]) =>
  sent.map((notification) => {
    const alert = alertOf(notification);
    return `${alert.route} ${actionOf(alert)} ${titleOf(alert)} (${alert.changes.length} + ${alert.leftOut})`;
  });

const names = ({ changes }: Notification) => changes.map(({ finding }) => finding.package.name);

describe("a target's first scan", () => {
  it('is one alert for each route of any mode, with counts and the ten worst findings', async () => {
    const shop = target('summary', [
      route('pager', 'change', { minSeverity: 'high' }),
      route('chat', 'digest'),
      route('weekly', 'periodic'),
    ]);
    const findings = [...many(40, 'low'), ...['a', 'b', 'c'].map((name) => found(name, 'critical'))];
    const { sent, digests, verdict } = await shop.scan(findings);
    expect(said(sent)).toEqual([
      'pager trigger [critical] shop: first scan: 3 opened (3 + 0)',
      'chat trigger [critical] shop: first scan: 43 opened (10 + 33)',
    ]);
    expect(names(sent[1] as Notification).slice(0, 3)).toEqual(['a', 'b', 'c']);
    expect(digests.map(({ entry }) => [entry.changes.length, entry.omitted?.opened])).toEqual([[10, 33]]);
    expect(verdict.changes).toHaveLength(43);
    expect(shop.state()?.findings).toHaveLength(43);
    expect(shop.state()?.firstScan).toBeUndefined();
  });

  it('is stored: its findings are not reported again, later ones individually', async () => {
    const shop = target('summary', [route('pager', 'change')]);
    await shop.scan(many(12));
    expect(said((await shop.scan(many(12))).sent)).toEqual([]);
    const { sent } = await shop.scan([...many(12), found('new', 'critical')]);
    expect(said(sent)).toEqual(['pager trigger [critical] shop: 1 opened (1 + 0)']);
    expect(sent[0]?.mode).toBe('change');
  });

  it('is reported in a summary, also for notes that become alerts much later', async () => {
    const shop = target('summary', [route('pager', 'change')]);
    const noted = many(20).map((finding): Finding => ({ ...finding, level: 'note' }));
    expect((await shop.scan(noted)).sent).toEqual([]);
    expect(said((await shop.scan(many(20), { afterHours: 14 * 24 })).sent)).toEqual([
      'pager trigger [high] shop: first scan: 20 opened (10 + 10)',
    ]);
  });

  it('is reported like any other with `all`', async () => {
    const shop = target('all', [route('pager', 'change'), route('chat', 'digest')]);
    const { sent } = await shop.scan(many(12));
    expect(said(sent).filter((one) => one.startsWith('pager trigger [high] shop: 1 opened'))).toHaveLength(
      12,
    );
    expect(said(sent).at(-1)).toBe('chat trigger [high] shop: 12 opened (12 + 0)');
    expect(said((await shop.scan(many(11))).sent)).toEqual([
      expect.stringContaining('pager resolve [high] shop: 1 resolved'),
      expect.stringContaining('chat trigger [high] shop: 1 resolved'),
    ]);
  });

  it('is not reported with `none`, and neither are its resolutions', async () => {
    const shop = target('none', [route('pager', 'change'), route('chat', 'digest'), route('w', 'periodic')]);
    const first = await shop.scan(many(12));
    expect([first.sent, first.digests]).toEqual([[], []]);
    expect(first.verdict.changes).toHaveLength(12);
    const second = await shop.scan(many(11));
    expect([second.sent, second.digests]).toEqual([[], []]);
    const third = await shop.scan([...many(10), found('new')]);
    expect(third.sent.map(names)).toEqual([['new'], ['new']]);
    // Findings that return or worsen are reported.
    const fourth = await shop.scan([...many(11), found('new')]);
    expect(said(fourth.sent)).toEqual([
      'pager trigger [high] shop: 1 reopened (1 + 0)',
      'chat trigger [high] shop: 1 reopened (1 + 0)',
    ]);
  });
});

describe('the end of a summary', () => {
  it('resolves the incident that was opened, and no other', async () => {
    const shop = target('summary', [route('pager', 'change'), route('chat', 'digest')]);
    const [opened] = (await shop.scan(many(3))).sent;
    expect(said((await shop.scan(many(1))).sent)).toEqual(['chat trigger [high] shop: 2 resolved (2 + 0)']);
    const { sent } = await shop.scan([]);
    expect(said(sent)).toEqual([
      expect.stringMatching(/^chat \w+ \[high\] shop: 1 resolved/),
      'pager resolve [high] shop: first-scan summary closed: 1 resolved (1 + 0)',
    ]);
    const keys = [opened, sent[1]].map((one) => dedupKeyOf(alertOf(one as Notification)));
    expect(new Set(keys).size).toBe(1);
    expect(said((await shop.scan([])).sent)).toEqual([]);
  });

  it('waits for the findings of its route only', async () => {
    const shop = target('summary', [
      route('pager', 'change', { minSeverity: 'high', transitions: ['opened', 'worsened'] }),
      route('pager-close', 'change', { minSeverity: 'high', transitions: ['resolved'] }),
    ]);
    await shop.scan([found('bad', 'critical'), found('mild', 'low')]);
    const { sent } = await shop.scan([found('mild', 'low'), found('later', 'high')]);
    expect(said(sent)).toEqual([
      'pager trigger [high] shop: 1 opened (1 + 0)',
      'pager-close resolve [critical] shop: first-scan summary closed: 1 resolved (1 + 0)',
    ]);
  });

  it('is reported individually after the finding was: it worsened or returned', async () => {
    const shop = target('summary', [route('pager', 'change')]);
    await shop.scan([found('a', 'low'), found('b', 'low')]);
    expect(said((await shop.scan([found('a', 'critical'), found('b', 'low')])).sent)).toEqual([
      'pager trigger [critical] shop: 1 worsened (1 + 0)',
    ]);
    expect(said((await shop.scan([found('b', 'low')])).sent)).toEqual([
      'pager resolve [critical] shop: 1 resolved (1 + 0)',
    ]);
    expect(said((await shop.scan([])).sent)).toEqual([
      'pager resolve [low] shop: first-scan summary closed: 1 resolved (1 + 0)',
    ]);
    await shop.scan([found('b', 'low')]);
    expect(said((await shop.scan([])).sent)).toEqual(['pager resolve [low] shop: 1 resolved (1 + 0)']);
  });

  it('is sent also when the last finding was reported individually meanwhile', async () => {
    const shop = target('summary', [route('pager', 'change')]);
    await shop.scan([found('a', 'low')]);
    expect(said((await shop.scan([found('a', 'high')])).sent)).toEqual([
      'pager trigger [high] shop: 1 worsened (1 + 0)',
      'pager resolve [none] shop: first-scan summary closed: no changes (0 + 0)',
    ]);
  });
});

describe('a first scan that could not see everything', () => {
  const unread: Gap = { kind: 'lockfile', subject: 'api/yarn.lock', reason: 'damaged' };

  it('continues with findings that were hidden, and with no others', async () => {
    const shop = target('summary', [route('pager', 'change')]);
    expect(said((await shop.scan(many(2), { gaps: [unread] })).sent)).toHaveLength(1);
    expect(shop.state()?.firstScan).toMatchObject({ hidden: ['api/yarn.lock'] });
    const behind = Array.from({ length: 30 }, (_, index) => found(`api-${index}`, 'high', 'api/yarn.lock'));
    const { sent } = await shop.scan([...many(2), ...behind, found('new', 'critical')]);
    expect(said(sent)).toEqual([
      'pager trigger [high] shop: first scan: 30 opened (10 + 20)',
      'pager trigger [critical] shop: 1 opened (1 + 0)',
    ]);
    expect(shop.state()?.firstScan).toBeUndefined();
    const more = [...many(2), ...behind, found('new', 'critical'), found('api-new', 'low', 'api/yarn.lock')];
    expect(said((await shop.scan(more)).sent)).toEqual(['pager trigger [low] shop: 1 opened (1 + 0)']);
  });

  it.each<[string, Gap, Finding]>([
    [
      'entries that were not read',
      { kind: 'entry', subject: 'go.sum:17', reason: 'x' },
      found('a', 'high', 'go.sum'),
    ],
    [
      'a package that was not looked up',
      { kind: 'package', subject: found('a').package.purl, reason: 'x' },
      found('a'),
    ],
    [
      'a package that a rule failed on',
      { kind: 'rule', subject: found('a').package.purl, reason: 'x' },
      found('a'),
    ],
  ])('knows %s', async (_what, gap, finding) => {
    const shop = target('summary', [route('pager', 'change')]);
    await shop.scan([], { gaps: [gap] });
    await shop.scan([], { gaps: [gap] });
    expect(said((await shop.scan([finding, found('other')])).sent)).toEqual([
      'pager trigger [high] shop: first scan: 1 opened (1 + 0)',
      'pager trigger [high] shop: 1 opened (1 + 0)',
    ]);
  });

  it('reports findings that were hidden also with `none`', async () => {
    const shop = target('none', [route('pager', 'change')]);
    expect((await shop.scan(many(3), { gaps: [unread] })).sent).toEqual([]);
    const { sent } = await shop.scan([...many(3), found('api', 'high', 'api/yarn.lock')]);
    expect(said(sent)).toEqual(['pager trigger [high] shop: first scan: 1 opened (1 + 0)']);
  });

  it('counts everything as hidden when too much is, until a scan sees more', async () => {
    const shop = target('summary', [route('pager', 'change')]);
    const gaps = Array.from({ length: 2_001 }, (_, index): Gap => {
      return { kind: 'package', subject: `pkg:npm/p${index}@1`, reason: 'no answer' };
    });
    await shop.scan([], { gaps });
    expect(shop.state()?.firstScan?.hidden).toBe('all');
    expect(said((await shop.scan(many(20), { gaps: [unread] })).sent)).toEqual([
      'pager trigger [high] shop: first scan: 20 opened (10 + 10)',
    ]);
    expect(shop.state()?.firstScan?.hidden).toEqual(['api/yarn.lock']);
  });

  it('lasts one week', async () => {
    const shop = target('summary', [route('pager', 'change')]);
    await shop.scan([], { gaps: [unread] });
    const late = found('api', 'high', 'api/yarn.lock');
    expect(said((await shop.scan([late], { afterHours: 7 * 24 })).sent)).toEqual([
      'pager trigger [high] shop: first scan: 1 opened (1 + 0)',
    ]);
  });

  it('stores up to 2,000 hidden packages individually', async () => {
    const shop = target('summary', [route('pager', 'change')]);
    const gaps = Array.from({ length: 2_000 }, (_, index): Gap => {
      return { kind: 'package', subject: `pkg:npm/p${index}@1`, reason: 'no answer' };
    });
    await shop.scan([], { gaps });
    expect(shop.state()?.firstScan?.hidden).toHaveLength(2_000);
  });

  it('is over after a week', async () => {
    const shop = target('summary', [route('pager', 'change')]);
    await shop.scan([], { gaps: [unread] });
    const late = found('api', 'high', 'api/yarn.lock');
    expect(said((await shop.scan([late], { afterHours: 7 * 24 + 1 })).sent)).toEqual([
      'pager trigger [high] shop: 1 opened (1 + 0)',
    ]);
  });
});
