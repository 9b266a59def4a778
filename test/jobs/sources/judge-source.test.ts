import { describe, expect, test } from 'vitest';
import { followUp } from '../../../src/jobs/job.ts';
import { judgeScan } from '../../../src/jobs/judge-scan.ts';
import { JUDGE_SCAN } from '../../../src/jobs/payloads/judge-scan.ts';
import { type JudgeSource, sourceFailing, sourceResolved } from '../../../src/jobs/payloads/sources.ts';
import { judgeSource } from '../../../src/jobs/sources/judge-source.ts';
import type { TargetState } from '../../../src/model/scan/change.ts';
import type { WatchedTarget } from '../../../src/model/watch/schedule.ts';
import { context, inventory, locked, ports } from '../facts.ts';
import { SOURCE, scheduleRoom } from './schedule-facts.ts';

const since = '2026-01-01T00:00:00.000Z';
const entry: WatchedTarget = {
  target: { id: 'shop', labels: { team: 'web' } },
  source: SOURCE,
  definition: 'd',
  run: '1',
  due: since,
  at: since,
  ending: 'failed',
  failing: { since, code: 'not-found', reason: '/srv/shop.git: there is no such repository' },
};

const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;

async function judge(
  job: { readonly payload: unknown } | undefined,
  state: TargetState | undefined,
  current: WatchedTarget | undefined = entry,
) {
  const { port: schedules } = scheduleRoom({ targets: current === undefined ? [] : [current] });
  const run = await judgeSource.run(
    job?.payload as JudgeSource,
    ports({ schedules, routes: ['hook'], ...(state === undefined ? {} : { state }) }),
    context(),
  );
  const after = run.state !== undefined && 'state' in run.state ? run.state.state : state;
  return {
    ...run,
    after,
    changes: run.result.changes.map(({ transition, finding }) => [transition, finding.rule]),
  };
}

const opened = (state?: TargetState, at = day(2)) => judge(sourceFailing('acme', entry, at), state);
const restored = (state: TargetState | undefined, at = day(3)) =>
  judge(sourceResolved('restored', 'acme', entry, at), state, { ...entry, ending: 'scanned' });

/** The state after a full scan without findings. */
async function scanned(state: TargetState | undefined, at: string, partial = false) {
  const scan = `scan-${at.slice(0, 10)}`;
  const { payload } = followUp(JUDGE_SCAN, {
    scan,
    target: { id: 'shop', labels: {} },
    requestedAt: at,
    dividedAt: 0,
    advisoryParts: 0,
    expansionParts: 0,
    ...(partial ? { partial: true as const } : {}),
  });
  const outcomes = new Map([[`ingest-lockfiles/${scan}`, inventory([locked('a')])]]);
  const run = await judgeScan.run(
    payload as never,
    ports({ outcomes, routes: ['hook'], ...(state === undefined ? {} : { state }) }),
    context(),
  );
  return { ...run, after: run.state !== undefined && 'state' in run.state ? run.state.state : state };
}

describe('judge-source', () => {
  test('opens one finding of a target that was never scanned, and sends it', async () => {
    const { result, next, changes, after } = await opened();
    expect(changes).toEqual([['opened', 'unwatched']]);
    expect(result.findings).toMatchObject([
      {
        level: 'alert',
        severity: 'medium',
        title: 'Not watched: /srv/shop.git: there is no such repository',
        package: { ecosystem: 'source', name: '/srv/shop.git', version: 'HEAD' },
        issue: 'acme',
        locations: [{ path: 'schedule acme' }],
        advice: expect.stringContaining('lockhound schedules get acme'),
      },
    ]);
    expect(next).toMatchObject([{ job: 'deliver-notification', payload: { target: 'shop', route: 'hook' } }]);
    expect(after).toMatchObject({ sources: { acme: day(2) } });
    // Once, also when it is judged again.
    expect(await opened(after, day(9))).toMatchObject({ changes: [], next: [] });
  });

  test('the first scan of such a target is still its first scan', async () => {
    const { after } = await opened();
    const { firstScanPart } = await import('../../../src/policy/routing/first-scan.ts');
    const facts = { requestedAt: day(3), partial: false, gaps: [] };
    const finding = {} as never;
    expect(firstScanPart(after, 'summary', facts).announce(finding)).toBe('summary');
    const real = await scanned(after, day(3));
    expect(firstScanPart(real.after, 'summary', facts).announce(finding)).toBeUndefined();
  });

  test('changes nothing else of a target, and no scan resolves its finding', async () => {
    const before = (await scanned(undefined, day(1))).after;
    const { after } = await opened(before);
    const {
      revision: _,
      findings: __,
      sources: ___,
      history: ____,
      told,
      ...rest
    } = after ?? ({} as TargetState);
    const { revision: _1, findings: __1, history: ____1, ...same } = before ?? ({} as TargetState);
    expect(rest).toEqual(same);
    expect(told).toBeDefined();
    for (const partial of [false, true]) {
      const scan = await scanned(after, day(4), partial);
      expect(scan.result.changes).toEqual([]);
      expect(scan.after?.findings.map(({ status }) => status)).toEqual(['open']);
      // Scans in between do not keep the source from being judged.
      expect((await restored(scan.after, day(3))).changes).toEqual([['resolved', 'unwatched']]);
    }
  });

  test('resolves it when the source can be read again, and reopens it', async () => {
    const first = await opened();
    const good = await restored(first.after);
    expect(good.changes).toEqual([['resolved', 'unwatched']]);
    expect((await opened(good.after, day(5))).changes).toEqual([['reopened', 'unwatched']]);
    // A verdict that was requested earlier comes too late.
    expect(await opened(good.after, day(2))).toMatchObject({ changes: [], result: { superseded: true } });
  });

  test('does nothing when the source was read meanwhile, or there is nothing to resolve', async () => {
    const read = { ...entry, ending: 'scanned' as const };
    const { failing: _, ...fine } = read;
    expect((await judge(sourceFailing('acme', entry, day(2)), undefined, fine)).changes).toEqual([]);
    expect(await restored(undefined)).toMatchObject({ changes: [], next: [] });
    expect((await restored(undefined)).state).toBeUndefined();
  });

  test('resolves and forgets a target that the schedule no longer names', async () => {
    const first = await opened();
    const { changes, watch } = await judge(sourceResolved('dropped', 'acme', entry, day(3)), first.after);
    expect(changes).toEqual([['resolved', 'unwatched']]);
    expect(watch).toEqual({ kind: 'dropped', schedule: 'acme', target: 'shop' });
  });

  test('findings of two schedules about one target are two', async () => {
    const first = await opened();
    const second = await judge(sourceFailing('other', entry, day(3)), first.after);
    expect(second.changes).toEqual([['opened', 'unwatched']]);
    const good = await restored(second.after, day(4));
    expect(good.changes).toEqual([['resolved', 'unwatched']]);
    expect(good.after?.findings.map(({ status, finding }) => [finding.issue, status]).sort()).toEqual([
      ['acme', 'resolved'],
      ['other', 'open'],
    ]);
  });
});
