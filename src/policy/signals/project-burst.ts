import type { ReleaseFacts, SiblingRelease } from '../../model/signal/release-facts.ts';
import { listOf, spanOf, type Trace } from './detector.ts';
import { type DatedRelease, datedReleases, isPrerelease } from './versions.ts';

const WINDOW_MS = 3_600_000;
/** The numbers of packages of one project at once that are a burst: with one version each, or with two. */
const MANY_PACKAGES = 5;
const MANY_TWICE = 3;
/** Who published like that before does it as a habit. */
const HABIT = 2;

/**
 * Versions of many packages of one source project within an hour of the locked one, or two of each of some packages, where the project
 * does not usually publish like that. The first versions of packages appear together as well.
 */
export function projectBurst(
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
  const near = all.filter(({ publishedAt }) => Math.abs(publishedAt - locked.publishedAt) <= WINDOW_MS);
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
    if (group.length > 0 && one.publishedAt - from > WINDOW_MS) close();
    if (group.length === 0) from = one.publishedAt;
    group.push(one);
  }
  close();
  return found;
}
