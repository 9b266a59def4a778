import {
  compareLines,
  DETAILS,
  type Detector,
  datedReleases,
  isFix,
  LIST,
  lineOf,
  releaseAmong,
  spanOf,
} from './detector.ts';

const DAY_MS = 24 * 3_600_000;
const SILENCE_MS = 548 * DAY_MS;
/** A line that a newer one replaced this long ago, and that had no release for a year. */
const REPLACED_MS = 730 * DAY_MS;
const LINE_SILENCE_MS = 365 * DAY_MS;

export const revived: Detector = {
  name: 'revived',
  title: 'A locked version was released after years of silence',
  description: 'A release after years of silence, or on a line that was replaced years ago.',
  help: {
    means:
      'a release after 18 months without any, or on a line that a newer one replaced two years ' +
      'before. Not for a fix of an advisory.',
    sure: 'weak alone.',
    todo: 'find out who published it.',
  },
  points: { package: 2, line: 1 },
  reads: [...LIST, ...DETAILS],
  detect(facts) {
    const { key, releases } = facts;
    const found = releaseAmong(releases, key.version);
    const previous = found?.before.at(-1);
    if (found === undefined || previous === undefined || isFix(facts)) return undefined;
    const { locked } = found;
    // The first release ends the silence; those that follow within days belong to it.
    const start = firstOfRun(found.before, locked.publishedAt);
    const last = found.before.filter(({ publishedAt }) => publishedAt < start).at(-1);
    if (last !== undefined && start - last.publishedAt >= SILENCE_MS) {
      return {
        grade: 'package',
        text: `ends ${spanOf(start - last.publishedAt)} without a release (the last one was ${last.version})`,
      };
    }
    return revivedLine(facts);
  },
};

const RUN_MS = 3 * DAY_MS;

/** When the run of releases began that a time belongs to. */
function firstOfRun(before: readonly { readonly publishedAt: number }[], time: number): number {
  let start = time;
  for (const { publishedAt } of before.toReversed()) {
    if (start - publishedAt > RUN_MS) break;
    start = publishedAt;
  }
  return start;
}

function revivedLine({ key, releases }: Parameters<Detector['detect']>[0]): ReturnType<Detector['detect']> {
  const all = datedReleases(releases);
  const locked = all.find(({ version }) => version === key.version);
  if (locked === undefined) return undefined;
  const line = lineOf(key.version);
  const before = all.filter((one) => lineOf(one.version) === line && one.publishedAt < locked.publishedAt);
  const start = firstOfRun(before, locked.publishedAt);
  const own = before.filter(({ publishedAt }) => publishedAt < start).at(-1);
  const newer = all.find((one) => compareLines(lineOf(one.version), line) > 0);
  if (own === undefined || newer === undefined) return undefined;
  if (start - newer.publishedAt < REPLACED_MS || start - own.publishedAt < LINE_SILENCE_MS) return undefined;
  return {
    grade: 'line',
    text: `continues line ${line}, which ${newer.version} replaced ${spanOf(start - newer.publishedAt)} before and which had no release for ${spanOf(start - own.publishedAt)}`,
  };
}
