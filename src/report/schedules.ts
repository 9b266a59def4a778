import type {
  Schedule,
  ScheduleDetails,
  ScheduleList,
  ScheduleRun,
  WatchedTarget,
} from '../model/api/lockhound-api.generated.ts';
import { printable } from '../model/printable.ts';
import type { Schedule as StoredSchedule } from '../model/watch/schedule.ts';
import type { TargetSource } from '../model/watch/source.ts';
import { addressOf } from '../model/watch/source-address.ts';
import { counted, fitLines, type TextOptions } from './layout.ts';
import { type Palette, palette } from './palette.ts';

/** Runs and targets that a text shows; JSON has all. */
const MAX_RUNS = 10;
const MAX_TARGETS = 100;

/** Some lines for each schedule. */
export function scheduleListText({ schedules }: ScheduleList, options: TextOptions): string {
  const paint = palette(options.colour);
  const lines = schedules.flatMap((schedule) => {
    const { name, lastRun, failing, targets, open } = schedule;
    return [
      `${paint.strong(printable(name))}  ${printable(timesText(schedule))}`,
      `  ${printable(sourceText(schedule))}; ${counted(targets, 'target')}${failingText(failing, paint)}`,
      ...(lastRun === undefined ? [] : [`  last run ${runText(lastRun, open, paint)}`]),
      `  ${nextText(schedule, paint)}`,
    ];
  });
  return fitLines(schedules.length === 0 ? ['No schedules.'] : lines, options);
}

/** One schedule with its last runs and its targets. */
export function scheduleText({ schedule, runs, watched }: ScheduleDetails, options: TextOptions): string {
  const { failing, open } = schedule;
  const paint = palette(options.colour);
  const labels = Object.entries(schedule.labels).map(([name, value]) => `${name}=${value}`);
  const current = runs.find(({ state }) => state === 'started')?.run;
  const lines = [
    `${paint.strong(printable(schedule.name))}  ${nextText(schedule, paint)}`,
    `  times     ${printable(timesText(schedule))}`,
    `  source    ${printable(sourceText(schedule))}`,
    ...(schedule.target === undefined ? [] : [`  target    ${printable(schedule.target)}`]),
    ...(labels.length === 0 ? [] : [`  labels    ${printable(labels.join(', '))}`]),
    `  from      ${schedule.origin === 'configuration' ? 'the configuration' : 'a command'}`,
    `  targets   ${watched.length}${failingText(failing, paint)}`,
    ...(runs.length === 0 ? ['No runs yet.'] : ['Runs:']),
    ...runs.slice(0, MAX_RUNS).map((run) => `  ${runText(run, run.run === current ? open : 0, paint)}`),
    ...(watched.length === 0 ? [] : ['Targets:']),
    ...watched.slice(0, MAX_TARGETS).flatMap((one) => targetLines(one, paint)),
    ...(watched.length > MAX_TARGETS
      ? [paint.faint(`  … and ${watched.length - MAX_TARGETS} more: --json shows them`)]
      : []),
  ];
  return fitLines(lines, options);
}

function timesText({ cron, timeZone, everyMs = 0, jitterMs }: Schedule): string {
  const when = cron === undefined ? `every ${durationText(everyMs)}` : `${cron} (${timeZone})`;
  return jitterMs === 0 ? when : `${when}, up to ${durationText(jitterMs)} later`;
}

function nextText({ paused, nextRun }: Schedule, paint: Palette): string {
  if (paused) return paint.bad('paused');
  return paint.faint(nextRun === undefined ? 'waits for a worker' : `next run ${nextRun}`);
}

function sourceText(schedule: Schedule): string {
  const source = schedule.source as StoredSchedule['source'];
  switch (source.kind) {
    case 'path':
      return `paths ${source.paths.join(', ')}${source.targets === 'all' ? ' as one target' : ''}`;
    case 'url':
      return listed(
        'URL',
        source.urls.map((url) => addressOf({ kind: 'url', url })),
      );
    case 'git':
      return `${listed(
        'git',
        source.repositories.map(({ url }) => url),
      )}${source.ref === 'HEAD' ? '' : ` at ${source.ref}`}`;
  }
}

function listed(what: string, [first = '', ...others]: readonly string[]): string {
  return `${what} ${first}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

function failingText(failing: number, paint: Palette): string {
  return failing === 0 ? '' : `, ${paint.bad(`${failing} cannot be read`)}`;
}

function runText(run: ScheduleRun, open: number, paint: Palette): string {
  const { startedAt, trigger, state, targets, reason, endings } = run;
  const by = trigger === 'command' ? ' (by a command)' : '';
  if (state !== 'started') {
    return `${startedAt}${by}: ${paint.bad(state)}${reason === undefined ? '' : `: ${printable(reason)}`}`;
  }
  const { scanned = 0, unchanged = 0, failed = 0 } = endings;
  const facts = [
    counted(targets, 'target'),
    ...(scanned === 0 ? [] : [`${scanned} scanned`]),
    ...(unchanged === 0 ? [] : [`${unchanged} unchanged`]),
    ...(failed === 0 ? [] : [paint.bad(`${failed} failed`)]),
    ...(open === 0 ? [] : [`${open} not read yet`]),
  ];
  return `${startedAt}${by}: ${facts.join(', ')}`;
}

function targetLines(watched: WatchedTarget, paint: Palette): readonly string[] {
  const { target, source, ending, at, readAt, failing } = watched;
  const head = `  ${paint.strong(printable(target))}  ${printable(addressOf(source as TargetSource))}`;
  if (failing === undefined) return [`${head}  ${ending}  ${paint.faint(at)}`];
  const last = readAt === undefined ? 'never read' : `last read ${readAt}`;
  return [
    head,
    `    ${paint.bad('cannot be read')} since ${failing.since}, ${last}`,
    `    ${printable(failing.reason)} [${failing.code}]`,
  ];
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `90m`, `6h`: as in the configuration. */
function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= one && ms % one === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
