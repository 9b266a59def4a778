import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type {
  Schedule,
  ScheduleDetails,
  ScheduleRun,
  WatchedTarget,
} from '../../src/model/api/lockhound-api.generated.ts';
import { scheduleListText, scheduleText } from '../../src/report/schedules.ts';

const at = '2026-11-22T06:00:00.000Z';

const report: Schedule = {
  name: 'acme',
  source: {
    kind: 'git',
    repositories: [{ url: 'https://git.example/acme/shop.git' }, { url: 'https://git.example/acme/api.git' }],
    ref: 'main',
    exclude: [],
  },
  labels: { team: 'acme' },
  cron: '0 6 * * 1-5',
  timeZone: 'Europe/Berlin',
  jitterMs: 600_000,
  origin: 'configuration',
  paused: false,
  nextRun: '2026-11-23T05:00:00.000Z',
  lastRun: run({ endings: { unchanged: 1, failed: 1 } }),
  targets: 2,
  failing: 1,
  open: 0,
};

function run(changes: Partial<ScheduleRun> = {}): ScheduleRun {
  return {
    run: '1',
    due: at,
    startedAt: at,
    trigger: 'schedule',
    state: 'started',
    targets: 2,
    endings: {},
    ...changes,
  };
}

function target(id: string, changes: Partial<WatchedTarget> = {}): WatchedTarget {
  const repository = `https://git.example/${id}.git`;
  return {
    target: id,
    labels: {},
    source: { kind: 'git', repository, ref: 'main', exclude: [] },
    run: '1',
    due: at,
    at,
    ending: 'unchanged',
    readAt: at,
    ...changes,
  };
}

const failing = {
  since: '2026-11-21T06:00:00.000Z',
  code: 'not-found',
  reason: 'https://git.example/acme/shop.git: there is no such repository (fatal: repository not found)',
};

const details: ScheduleDetails = {
  schedule: { ...report, open: 1 },
  runs: [
    run({ run: '3', trigger: 'command', state: 'skipped', reason: 'the run before is not finished' }),
    run({ run: '2', endings: { scanned: 1 } }),
    run(),
  ],
  watched: [target('acme/shop', { ending: 'failed', failing }), target('acme/api')],
};

describe.each([80, 50])('at %i columns', (width) => {
  it('no line of a list or a schedule is wider, and all facts are there', () => {
    for (const colour of [false, true]) {
      const options = { colour, width };
      const [list, shown] = [
        scheduleListText({ schedules: [report] }, options),
        scheduleText(details, options),
      ];
      for (const line of stripVTControlCharacters(list + shown).split('\n')) {
        // An address cannot be broken.
        if (!line.includes('https://')) expect(line.length, line).toBeLessThanOrEqual(width);
      }
      const words = (text: string) => stripVTControlCharacters(text).replaceAll(/\s+/g, ' ');
      expect(words(list)).toContain('acme 0 6 * * 1-5 (Europe/Berlin), up to 10m later git https');
      expect(words(list)).toContain(
        'git https://git.example/acme/shop.git and 1 more at main; 2 targets, 1 cannot be read',
      );
      expect(words(list)).toContain('last run 2026-11-22T06:00:00.000Z: 2 targets, 1 unchanged, 1 failed');
      expect(words(shown)).toContain('(by a command): skipped: the run before is not finished');
      expect(words(shown)).toContain('2 targets, 1 scanned, 1 not read yet');
      expect(words(shown)).toContain('cannot be read since 2026-11-21T06:00:00.000Z, last read');
      expect(words(shown)).toContain('there is no such repository (fatal: repository not found) [not-found]');
      expect(words(shown)).toContain('labels team=acme');
    }
  });
});

it('shows what a hostile source writes as text', () => {
  const reason = 'remote: \u001b[31mred\u202e';
  const watched = [target('a', { failing: { ...failing, reason } })];
  const text = scheduleText({ ...details, watched }, { colour: false, width: Number.POSITIVE_INFINITY });
  expect(text).toContain('remote: \\u001b[31mred\\u202e');
});

it('says that there are none, and that one is paused or waits', () => {
  const options = { colour: false, width: Number.POSITIVE_INFINITY };
  expect(scheduleListText({ schedules: [] }, options)).toBe('No schedules.\n');
  const { nextRun: _, lastRun: __, ...fresh } = report;
  expect(scheduleListText({ schedules: [fresh] }, options)).toContain('waits for a worker');
  const paused = { ...report, paused: true };
  expect(scheduleListText({ schedules: [paused] }, options)).toContain('paused');
});
