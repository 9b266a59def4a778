import { describe, expect, it } from 'vitest';
import { recordVerdict } from '../../src/jobs/scan/record-verdict.ts';
import type { Fix } from '../../src/model/advice/fix.ts';
import type { Routing } from '../../src/model/alert/routing.ts';
import type { TargetChange } from '../../src/model/queue/outcome.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import { changeOf } from '../notify/notification.ts';
import { ports } from './facts.ts';

const target = { id: 'shop', labels: {} };
const { finding } = changeOf('left-pad');
const BORN = Date.parse('2026-03-01T00:00:00Z');
const MINUTE_MS = 60_000;

type FixState = 'unknown' | 'fixable' | 'none';

const FIX: Fix = {
  kind: 'upgrade-direct',
  path: 'package-lock.json',
  changes: [{ name: 'left-pad', from: '1.2.3', how: 'upgrade' }],
  commands: [],
  evidence: { candidates: [], lookedAt: 0, requirements: [], graphs: [] },
};

/** Judges a target again and again; `minute` is the time of a scan. */
function createTarget(take: Routing['take'], routes: Readonly<Record<string, boolean | undefined>>) {
  let state: TargetState | undefined;
  let rules: Routing['rules'] = [];
  const setRoutes = (named: typeof routes): void => {
    rules = Object.entries(named).map(([name, fixable]) => ({
      name,
      mode: 'digest',
      match: fixable === undefined ? {} : { fixable },
      rest: name === 'default',
    }));
  };
  setRoutes(routes);
  return {
    setRoutes,
    state: () => state,
    /** What each route gets, such as `any: opened`. */
    async judge(minute: number, fix: FixState | 'resolved'): Promise<readonly string[]> {
      const given = ports({ ...(state === undefined ? {} : { state }) });
      const judgedAt = BORN + minute * MINUTE_MS;
      const run = await recordVerdict(
        {
          scan: `scan-${minute}`,
          target,
          requestedAt: new Date(judgedAt).toISOString(),
          judgedAt,
          findings: fix === 'resolved' ? [] : [finding],
          partial: false,
          paths: [],
          stillOpen: () => undefined,
          gaps: [],
          firstScan: 'all',
          previous: state,
          advice: {
            with: (one) => (fix === 'fixable' ? { ...one, fixes: [FIX] } : one),
            isPending: () => fix === 'unknown',
            next: [],
          },
        },
        { ...given, routing: { routing: () => ({ take, firstScan: 'all', rules }) } },
      );
      state = JSON.parse(
        JSON.stringify((run.state as TargetChange | undefined)?.state ?? state),
      ) as TargetState;
      return (run.deliveries ?? []).map(
        ({ identity, notification }) =>
          `${identity.route}: ${notification.changes.map(({ transition }) => transition).join(' ')}`,
      );
    },
  };
}

const ROUTES = { any: undefined, yes: true, no: false };

describe('a route with `match.fixable`', () => {
  it('gets a finding with its first alert where the fix is known', async () => {
    const shop = createTarget('all', ROUTES);
    expect(await shop.judge(0, 'fixable')).toEqual(['any: opened', 'yes: opened']);
    expect(await shop.judge(1, 'fixable')).toEqual([]);
    expect(await shop.judge(2, 'resolved')).toEqual(['any: resolved', 'yes: resolved']);
  });

  it.each([
    ['fixable', 'yes'],
    ['none', 'no'],
  ] as const)('gets it later, once, when that is known: %s', async (fix, route) => {
    const shop = createTarget('all', ROUTES);
    expect(await shop.judge(0, 'unknown')).toEqual(['any: opened']);
    expect(await shop.judge(1, 'unknown')).toEqual([]);
    expect(await shop.judge(2, fix)).toEqual([`${route}: opened`]);
    expect(shop.state()?.dueAt).toBeUndefined();
    expect(shop.state()?.history?.[0]?.changes).toBeUndefined();
    expect(await shop.judge(3, fix)).toEqual([]);
    expect(await shop.judge(4, 'unknown')).toEqual([]);
    expect(await shop.judge(5, 'resolved')).toEqual(['any: resolved', `${route}: resolved`]);
  });

  it('gets nothing of a finding that is resolved before', async () => {
    const shop = createTarget('all', ROUTES);
    await shop.judge(0, 'unknown');
    expect(await shop.judge(1, 'resolved')).toEqual(['any: resolved']);
    expect(await shop.judge(2, 'fixable')).toEqual(['any: reopened', 'yes: reopened']);
  });

  it('is judged again at growing intervals, and for a day', async () => {
    const shop = createTarget('all', ROUTES);
    const waits: number[] = [];
    for (let minute = 0; minute < 24 * 60; ) {
      await shop.judge(minute, 'unknown');
      const due = (Date.parse(shop.state()?.dueAt ?? '') - BORN) / MINUTE_MS;
      waits.push(due - minute);
      minute = due;
    }
    expect(waits).toEqual([2, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
    expect(await shop.judge(2048, 'unknown')).toEqual(['no: opened']);
    expect(shop.state()?.dueAt).toBeUndefined();
  });

  it('gets a finding without a fix when there is one', async () => {
    const shop = createTarget('all', ROUTES);
    expect(await shop.judge(0, 'none')).toEqual(['any: opened', 'no: opened']);
    expect(await shop.judge(1, 'fixable')).toEqual(['yes: opened']);
    expect(await shop.judge(2, 'none')).toEqual([]);
    expect(await shop.judge(3, 'fixable')).toEqual([]);
    expect(await shop.judge(4, 'resolved')).toEqual(['any: resolved', 'yes: resolved', 'no: resolved']);
  });

  it('gets nothing that another route took before (`take: first`)', async () => {
    const shop = createTarget('first', { yes: true, any: undefined });
    expect(await shop.judge(0, 'unknown')).toEqual(['any: opened']);
    expect(await shop.judge(1, 'fixable')).toEqual([]);
    expect(await shop.judge(2, 'resolved')).toEqual(['any: resolved']);
    const only = createTarget('first', { yes: true });
    expect(await only.judge(0, 'none')).toEqual([]);
    expect(await only.judge(1, 'fixable')).toEqual(['yes: opened']);
    expect(await only.judge(2, 'resolved')).toEqual(['yes: resolved']);
  });

  it('that is new gets what is open by the announcement of the new settings, and not from here', async () => {
    const shop = createTarget('all', { any: undefined });
    await shop.judge(0, 'fixable');
    expect(shop.state()?.findings[0]?.fixRoutes).toBeUndefined();
    shop.setRoutes(ROUTES);
    expect(await shop.judge(1, 'fixable')).toEqual([]);
    expect(shop.state()?.findings[0]?.fixRoutes).toEqual({ notified: [true] });
    shop.setRoutes({ any: undefined });
    await shop.judge(2, 'fixable');
    expect(shop.state()?.findings[0]?.fixRoutes).toBeUndefined();
  });
});
