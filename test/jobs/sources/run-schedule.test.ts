import { describe, expect, test } from 'vitest';
import { type RunSchedule, runDue } from '../../../src/jobs/payloads/sources.ts';
import { runSchedule } from '../../../src/jobs/sources/run-schedule.ts';
import type { ScheduleRunReport, WatchedTarget } from '../../../src/model/watch/schedule.ts';
import type { TargetSource } from '../../../src/model/watch/source.ts';
import { context, FakeError, ports } from '../facts.ts';
import { SCHEDULE, SOURCE, scheduleRoom } from './schedule-facts.ts';

const due = new Date(900_000);
const payload = runDue('acme', due).payload as RunSchedule;
const [RUN, STARTED] = ['19700101T001500000Z', '1970-01-01T00:16:40.000Z'];

type Listed = readonly { readonly target: string; readonly source: TargetSource }[];

function run(
  given: Parameters<typeof scheduleRoom>[0],
  listed: Listed | Error,
  { lastAttempt = false, trigger = 'schedule' as RunSchedule['trigger'] } = {},
) {
  const list = async () => {
    if (listed instanceof Error) throw listed;
    return listed;
  };
  const { port: schedules } = scheduleRoom({ schedule: SCHEDULE, ...given });
  return runSchedule.run(
    { ...payload, trigger },
    ports({ schedules, sources: { list } }),
    context(lastAttempt),
  );
}

const shop = { target: 'shop', source: SOURCE };

function watched(id: string, changes: Partial<WatchedTarget> = {}): WatchedTarget {
  return {
    target: { id, labels: {} },
    source: SOURCE,
    definition: 'd',
    run: '0',
    due: STARTED,
    at: STARTED,
    ending: 'unchanged',
    ...changes,
  };
}

const failing = { since: STARTED, code: 'not-found', reason: 'gone' };

function earlier(changes: Partial<ScheduleRunReport> = {}): ScheduleRunReport {
  return {
    run: '0',
    due: STARTED,
    startedAt: STARTED,
    trigger: 'schedule',
    state: 'started',
    targets: 5,
    endings: {},
    ...changes,
  };
}

describe('run-schedule', () => {
  test('returns one reading for each target, with the labels of the schedule', async () => {
    const { result, next, watch } = await run({}, [shop, { target: 'api', source: SOURCE }]);
    expect(result).toEqual({ state: 'started', targets: 2 });
    expect(next.map((one) => [one.job, one.payload])).toEqual(
      ['shop', 'api'].map((id) => [
        'read-source',
        { schedule: 'acme', run: RUN, due: due.toISOString(), target: { id, labels: { team: 'web' } } },
      ]),
    );
    expect(new Set(next.map(({ key }) => key)).size).toBe(2);
    expect(watch).toMatchObject({ kind: 'run', run: { run: RUN, startedAt: STARTED, targets: 2 } });
    expect([...((watch?.kind === 'run' && watch.open) || [])]).toEqual(
      ['shop', 'api'].map((id) => [id, { run: RUN, source: SOURCE, definition: expect.any(String) }]),
    );
  });

  test('of 10,000 targets stays one job for each', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({ target: `t${index}`, source: SOURCE }));
    const { next } = await run({}, many);
    expect(new Set(next.map(({ key }) => key)).size).toBe(10_000);
  });

  test('is skipped while another run is open, and says which', async () => {
    const open = { shop: { run: '0', source: SOURCE, definition: 'd' } };
    const { result, next, watch } = await run({ open, runs: [earlier()] }, [shop]);
    expect(next).toEqual([]);
    expect(result).toMatchObject({ state: 'skipped', reason: expect.stringContaining('1 of 5 targets') });
    expect(watch).toMatchObject({ run: { run: RUN, state: 'skipped' } });
    expect(runSchedule.log?.(payload, result)).toMatchObject({ warning: expect.stringContaining('skipped') });
    // A run whose end was lost does not stop the schedule forever.
    const old = earlier({ startedAt: new Date(context().startedAt - 25 * 3_600_000).toISOString() });
    expect((await run({ open, runs: [old] }, [shop])).result.state).toBe('started');
  });

  test('of a schedule that is paused or removed does nothing, except by a command while paused', async () => {
    const paused = { schedule: { ...SCHEDULE, paused: true } };
    expect(await run(paused, [shop])).toMatchObject({ result: { state: 'skipped' }, next: [] });
    expect((await run(paused, [shop], { trigger: 'command' })).result.state).toBe('started');
    const removed = { schedule: { ...SCHEDULE, removed: true } };
    expect(await run(removed, [shop])).toMatchObject({ result: { state: 'skipped' }, next: [] });
  });

  test('drops targets that the schedule no longer names; a failing one with a verdict', async () => {
    const targets = [watched('shop'), watched('old'), watched('broken', { failing })];
    const { next, watch } = await run({ targets }, [shop]);
    expect(watch).toMatchObject({ dropped: ['old'] });
    expect(next.map(({ job }) => job)).toEqual(['read-source', 'judge-source']);
    expect(next[1]?.payload).toMatchObject({ target: { id: 'broken' }, dropped: true });
  });

  test('still reads a path that disappeared, so that it says so; not one of another definition', async () => {
    const path = { kind: 'path', path: '/srv/gone', exclude: [] } as const;
    const schedule = {
      ...SCHEDULE,
      source: { kind: 'path', paths: ['/srv/*'], targets: 'match', exclude: [] } as const,
    };
    const first = await run({ schedule }, [{ target: 'gone', source: path }]);
    const { definition = '' } = (first.watch?.kind === 'run' && first.watch.open.get('gone')) || {};
    const targets = [watched('gone', { source: path, definition }), watched('other', { source: path })];
    const again = await run({ schedule, targets }, []);
    expect(again.next.map(({ payload: own }) => own)).toMatchObject([{ target: { id: 'gone' } }]);
    expect(again.watch).toMatchObject({ dropped: ['other'] });
    // The whole folder disappeared.
    const lost = await run({ schedule, targets }, new FakeError('fake', 'nothing matches'));
    expect(lost.result).toEqual({ state: 'started', targets: 1 });
  });

  test('fails with the reason when its targets cannot be listed', async () => {
    const fault = new FakeError('fake', 'nothing matches');
    expect(await run({}, fault)).toMatchObject({
      result: { state: 'failed', reason: 'nothing matches' },
      next: [],
      watch: { run: { state: 'failed', reason: 'nothing matches' } },
    });
    const busy = new FakeError('fake', 'busy', { retryable: true });
    await expect(run({}, busy)).rejects.toThrow('busy');
    expect((await run({}, busy, { lastAttempt: true })).result.state).toBe('failed');
  });

  test('forgets all but the newest runs', async () => {
    const runs = Array.from({ length: 30 }, (_, index) => earlier({ run: String(30 - index) }));
    const { watch } = await run({ runs }, [shop]);
    expect(watch?.kind === 'run' && watch.forgotten.length).toBe(11);
    expect(watch).toMatchObject({ forgotten: expect.arrayContaining(['1', '11']) });
  });
});
