import type { ReleaseFacts, SiblingRelease } from '../../model/signal/release-facts.ts';
import {
  type DatedRelease,
  DETAILS,
  type Detector,
  datedReleases,
  isFix,
  isPrerelease,
  LIST,
  lineOf,
  listOf,
  releaseAmong,
  spanOf,
  type Trace,
} from './detector.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Versions of several lines within this time are a burst. */
const WINDOW_MS = 2 * HOUR_MS;
/** The number of lines within an hour from which it is more than a fix for two lines. */
const TOGETHER_MS = HOUR_MS;
const MANY_LINES = 3;
const MANY_VERSIONS = 4;
/** Many versions of any line within this time, after a long silence. */
const FLURRY_MS = 12 * HOUR_MS;
const FLURRY_SIZE = 3;
const SILENCE_MS = 365 * DAY_MS;
/** Who published several lines at once this often does it as a habit. */
const HABIT = 2;

export const burst: Detector = {
  name: 'burst',
  title: 'Many versions were published within a short time',
  description:
    'Versions of several lines or of many packages of one source project within minutes, or many after a year of silence.',
  help: {
    means:
      'one of these, within a short time:\n\n' +
      '- Versions of several lines within two hours, by a package that has not published like that ' +
      'twice before.\n' +
      '- Three versions within twelve hours after a year of silence.\n' +
      '- Versions of five packages of one source project within an hour (or several versions of each ' +
      'of three), by a project that has not published like that twice before. The versions of a ' +
      'project are looked up for versions that are younger than 72 h, once, and again for two hours.\n\n' +
      'It is explained by an advisory that affects the version before and not this one, by a version ' +
      'before it that was deprecated within days, and by the first version of a new line.',
    sure:
      'weak alone, because a fix for several lines looks the same until its advisory is known; a ' +
      'person who repairs three lines usually takes more than an hour.',
    todo: 'wait for the reason. Until then, lock the version before.',
  },
  points: { strong: 3, project: 2, flurry: 2, plain: 1 },
  reads: [...LIST, ...DETAILS],
  detect(facts) {
    const { key, releases } = facts;
    const found = releaseAmong(releases, key.version);
    if (found === undefined || isFix(facts)) return undefined;
    const all = datedReleases(releases);
    return strongest([
      linesAtOnce(all, found.locked),
      projectBurst(facts, found.locked),
      flurry(all, found.locked),
    ]);
  },
};

/** The trace with the most points, the first one of several. */
function strongest(traces: readonly (Trace | undefined)[]): Trace | undefined {
  return traces.reduce((best, one) => (pointsIn(one) > pointsIn(best) ? one : best));
}

function pointsIn(trace: Trace | undefined): number {
  return burst.points[trace?.grade ?? ''] ?? 0;
}

function linesAtOnce(all: readonly DatedRelease[], locked: DatedRelease): Trace | undefined {
  const near = all.filter((one) => Math.abs(one.publishedAt - locked.publishedAt) <= WINDOW_MS);
  const lines = new Set(near.map(({ version }) => lineOf(version)));
  const start = near[0];
  const end = near.at(-1);
  if (lines.size < 2 || start === undefined || end === undefined) return undefined;
  const earlier = all.filter(({ publishedAt }) => publishedAt < start.publishedAt);
  // The first versions of a package, or its import into a registry, appear together.
  if (earlier.length === 0 || burstsIn(earlier) >= HABIT) return undefined;
  // The last version of a line and the first of the next one usually appear together.
  const known = new Set(earlier.map(({ version }) => lineOf(version)));
  const opened = near.find(({ version }) => !known.has(lineOf(version)));
  if (lines.size === 2 && opened !== undefined && isFirstOfLine(opened.version)) return undefined;
  const grade =
    linesTogether(near, locked) >= MANY_LINES || near.length >= MANY_VERSIONS ? 'strong' : 'plain';
  const versions = near.map(({ version }) => version);
  const text = `is one of ${near.length} versions of ${lines.size} lines (${listOf(versions, 6)}) within ${spanOf(end.publishedAt - start.publishedAt)}`;
  return { grade, text };
}

/** The most lines within an hour that includes the locked version. A person who repairs several lines takes longer. */
function linesTogether(near: readonly DatedRelease[], locked: DatedRelease): number {
  const counts = near.map(({ publishedAt: start }) => {
    const end = start + TOGETHER_MS;
    if (locked.publishedAt < start || locked.publishedAt > end) return 0;
    const within = near.filter(({ publishedAt }) => publishedAt >= start && publishedAt <= end);
    return new Set(within.map(({ version }) => lineOf(version))).size;
  });
  return Math.max(0, ...counts);
}

function isFirstOfLine(version: string): boolean {
  return /^\D*(?:\d+(?:\.0)*|0\.\d+(?:\.0)?)$/.test(version);
}

/** How often two neighbours of different lines were published within the window. */
function burstsIn(releases: readonly DatedRelease[]): number {
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, one] of releases.entries()) {
    const next = releases[index + 1];
    if (next === undefined || lineOf(next.version) === lineOf(one.version)) continue;
    if (next.publishedAt - one.publishedAt > WINDOW_MS || one.publishedAt - last <= WINDOW_MS) continue;
    count += 1;
    last = next.publishedAt;
  }
  return count;
}

function flurry(all: readonly DatedRelease[], locked: DatedRelease): Trace | undefined {
  const near = all.filter((one) => Math.abs(one.publishedAt - locked.publishedAt) <= FLURRY_MS);
  const start = near[0];
  const end = near.at(-1);
  if (near.length < FLURRY_SIZE || start === undefined || end === undefined) return undefined;
  const previous = all.filter(({ publishedAt }) => publishedAt < start.publishedAt).at(-1);
  if (previous === undefined || start.publishedAt - previous.publishedAt < SILENCE_MS) return undefined;
  const silence = spanOf(start.publishedAt - previous.publishedAt);
  const text = `is one of ${near.length} versions within ${spanOf(end.publishedAt - start.publishedAt)}, after ${silence} without any`;
  return { grade: 'flurry', text };
}

/** The numbers of packages of one project at once that are a burst: with one version each, or with two. */
const MANY_PACKAGES = 5;
const MANY_TWICE = 3;

/**
 * Versions of many packages of one source project within an hour of the locked one, or two of each of some packages, where the project
 * does not usually publish like that. The first versions of packages appear together as well.
 */
function projectBurst(
  { key, releases, siblings = [] }: ReleaseFacts,
  locked: DatedRelease,
): Trace | undefined {
  const own = datedReleases(releases).map(({ version, publishedAt }) => ({
    name: key.name,
    version,
    publishedAt,
  }));
  const all = [...own, ...siblings.filter(({ version }) => !isPrerelease(version))].sort(
    (left, right) => left.publishedAt - right.publishedAt,
  );
  const near = all.filter(({ publishedAt }) => Math.abs(publishedAt - locked.publishedAt) <= HOUR_MS);
  const [start, end] = [near[0], near.at(-1)];
  if (start === undefined || end === undefined) return undefined;
  const earlier = all.filter(({ publishedAt }) => publishedAt < start.publishedAt);
  const known = new Set(earlier.map(({ name }) => name));
  const updated = near.filter(({ name }) => known.has(name));
  const span = spanOf(end.publishedAt - start.publishedAt);
  const names = namesIn(updated);
  const twice = namesIn(updated, 2);
  if (twice.length >= MANY_TWICE && clusters(earlier, 2, MANY_TWICE) < HABIT) {
    const text = `is one of ${updated.length} versions of ${names.length} packages of its source project within ${span}, several of each`;
    return { grade: 'project', text };
  }
  if (names.length < MANY_PACKAGES || clusters(earlier, 1, MANY_PACKAGES) >= HABIT) return undefined;
  const others = listOf(names.filter((name) => name !== key.name));
  return {
    grade: 'project',
    text: `was published with versions of ${names.length - 1} other packages of its source project (${others}) within ${span}`,
  };
}

/** The names of which there are at least as many versions. */
function namesIn(releases: readonly SiblingRelease[], versions = 1): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of releases) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].flatMap(([name, count]) => (count >= versions ? name : []));
}

/** How often so many packages had so many versions within the window. `releases`: the oldest first. */
function clusters(releases: readonly SiblingRelease[], versions: number, packages: number): number {
  let found = 0;
  let from = 0;
  let group: SiblingRelease[] = [];
  const close = () => {
    if (namesIn(group, versions).length >= packages) found += 1;
    group = [];
  };
  for (const one of releases) {
    if (group.length > 0 && one.publishedAt - from > HOUR_MS) close();
    if (group.length === 0) from = one.publishedAt;
    group.push(one);
  }
  close();
  return found;
}
