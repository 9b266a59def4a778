import type { Release } from '../../model/signal/release-facts.ts';

/** Versions that are installed only when they are asked for: `2.0.0-rc.1`, `2.0rc1`, `v0.0.0-20240101000000-abcdef`. */
export function isPrerelease(version: string): boolean {
  return /\d-|\d[._-]?(?:a|b|c|rc|alpha|beta|dev|pre|preview|snapshot|m)[._-]?\d*$/i.test(version);
}

/**
 * The line of versions that a caret range stays in: the major version, and the minor version too before 1.0. Two versions of one
 * line replace each other.
 */
export function lineOf(version: string): string {
  const [, major = '', minor = '0'] = /^\D{0,3}?(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  if (major === '') return version;
  return Number(major) === 0 ? `0.${Number(minor)}` : String(Number(major));
}

/** Orders lines: 0.9 before 0.10 before 1. */
export function compareLines(left: string, right: string): number {
  const [leftMajor = 0, leftMinor = 0] = left.split('.').map(Number);
  const [rightMajor = 0, rightMinor = 0] = right.split('.').map(Number);
  return leftMajor - rightMajor || leftMinor - rightMinor;
}

/** A release with a time. */
export interface DatedRelease extends Release {
  readonly publishedAt: number;
}

/** Releases that are no pre-releases and whose time is known, oldest first. */
export function datedReleases(releases: readonly Release[]): readonly DatedRelease[] {
  return releases
    .filter((one): one is DatedRelease => one.publishedAt !== undefined && !isPrerelease(one.version))
    .sort((left, right) => left.publishedAt - right.publishedAt);
}

/** The locked version with the releases before it, oldest first; `undefined` when its time is not known. */
export function releaseAmong(
  releases: readonly Release[],
  version: string,
): { readonly locked: DatedRelease; readonly before: readonly DatedRelease[] } | undefined {
  const locked = releases.find((one) => one.version === version);
  if (locked?.publishedAt === undefined) return undefined;
  const { publishedAt } = locked;
  const before = datedReleases(releases).filter(
    (one) => one.version !== version && one.publishedAt < publishedAt,
  );
  return { locked: { ...locked, publishedAt }, before };
}

const DAY_MS = 24 * 3_600_000;

/**
 * The release with which what a version requires and calls is compared: the last one before it that is a day older, because an attacker may publish
 * several versions in a row. Without such a release, the one before it.
 */
export function comparedRelease(releases: readonly Release[], version: string): DatedRelease | undefined {
  const before = predecessors(releases, version);
  const publishedAt = releases.find((one) => one.version === version)?.publishedAt ?? 0;
  return before.findLast((one) => publishedAt - one.publishedAt >= DAY_MS) ?? before.at(-1);
}

/** The releases before a version that it replaces: those of its line, or else all. Newest last. */
export function predecessors(releases: readonly Release[], version: string): readonly DatedRelease[] {
  const found = releaseAmong(releases, version);
  if (found === undefined) return [];
  const line = found.before.filter((one) => lineOf(one.version) === lineOf(version));
  return line.length > 0 ? line : found.before;
}
