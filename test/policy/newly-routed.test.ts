import { expect, it } from 'vitest';
import type { RouteMatch, Routing } from '../../src/model/alert/routing.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import { newlyRouted } from '../../src/policy/routing/newly-routed.ts';
import { changeOf } from '../notify/notification.ts';

const target = { id: 'shop', labels: { team: 'web' } };
const OPENED = '2026-01-01T00:00:00Z';
const CHANGED = '2026-02-01T00:00:00Z';

type Tracked = TargetState['findings'][number];

function tracked(severity: Severity, more: Partial<Tracked> = {}): Tracked {
  const { finding } = changeOf(severity);
  return {
    finding: { ...finding, severity },
    status: 'open',
    openedAt: OPENED,
    changedAt: OPENED,
    ...more,
  };
}

const SUPPRESSED: Tracked = {
  ...tracked('high'),
  finding: { ...tracked('high').finding, suppressed: { by: 'x', source: 'command', reason: 'no' } },
};

function routing(routes: Readonly<Record<string, RouteMatch>>): Routing {
  const rules = Object.entries(routes).map(([name, match]) => ({
    name,
    match,
    mode: 'digest' as const,
    rest: name === 'default',
  }));
  return { take: 'all', firstScan: 'all', rules };
}

async function added(before: Routing, now: Routing, findings: readonly Tracked[]) {
  const found = await newlyRouted({ before, now, requestedAt: CHANGED }, { target, findings });
  return Object.fromEntries(
    [...found].map(([route, changes]) => [route, changes.map(({ finding }) => finding.severity)]),
  );
}

const all = [tracked('critical'), tracked('medium'), tracked('low')];

it('a new route gets the open findings that it matches', async () => {
  const now = routing({ audit: { minSeverity: 'medium' }, default: {} });
  expect(await added(routing({ default: {} }), now, all)).toEqual({ audit: ['critical', 'medium'] });
});

it('a lowered limit adds those below the former one', async () => {
  const [before, now] = [
    routing({ team: { minSeverity: 'high' } }),
    routing({ team: { minSeverity: 'medium' } }),
  ];
  expect(await added(before, now, all)).toEqual({ team: ['medium'] });
});

it('the default route gets what a removed route had', async () => {
  const before = routing({ team: { minSeverity: 'critical' }, default: {} });
  expect(await added(before, routing({ default: {} }), all)).toEqual({ default: ['critical'] });
});

it('leaves out what is not open, opened after the change, or was announced to no receiver', async () => {
  const others = [
    tracked('critical', { status: 'resolved' }),
    tracked('high', { changedAt: CHANGED }),
    SUPPRESSED,
    tracked('medium', { announced: 'none' }),
    tracked('low', { announced: 'summary' }),
  ];
  expect(await added(routing({}), routing({ audit: {} }), others)).toEqual({ audit: ['low'] });
  expect(await added(routing({}), routing({ audit: { labels: { team: ['api'] } } }), all)).toEqual({});
});
