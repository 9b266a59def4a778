import type { Policy } from '../../model/scan/policy.ts';
import type { RatedSeverity } from '../../model/scan/severity.ts';
import type { Inspection, Signal } from '../../model/signal/inspection.ts';
import type { Release, ReleaseFacts } from '../../model/signal/release-facts.ts';
import type { RuleText } from '../rule.ts';

/** The finding of a detector: a signal without its name. */
export type Trace = Omit<Signal, 'signal'>;

/** Looks for one trace in the facts of a version. Pure; facts that are absent raise nothing. */
export interface Detector extends RuleText {
  /** `off` for what most updates have: a reason of other findings, and one of its own only where `policy.rules` gives it a level. Default: `note`. */
  readonly level?: 'off';
  /** Default: `low`. */
  readonly severity?: RatedSeverity;
  /** Points by grade; `docs/reference/signals.md` has them with their reasons. A signal without points is never part of an incident. */
  readonly points: Readonly<Record<string, number>>;
  /** The facts that decide it, where an inspection may see fewer of them than one before. Others are known as a whole, or not at all. */
  readonly reads?: readonly string[];
  detect(facts: ReleaseFacts, policy: Pick<Policy, 'minimumAge'>): Trace | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `9 hours`, `1 day`, `2 years`. */
export function spanOf(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  if (days >= 730) return `${Math.floor(days / 365)} years`;
  if (days >= 60) return `${Math.floor(days / 30)} months`;
  if (days >= 2) return `${days} days`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours`;
  if (ms >= 2 * MINUTE_MS) return `${Math.floor(ms / MINUTE_MS)} minutes`;
  return ms >= MINUTE_MS ? 'a minute' : 'less than a minute';
}

/** `2026-03-31 00:21 UTC`. */
export function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `a, b and 3 more`. */
export function listOf(items: readonly string[], limit = 3): string {
  const shown = items.slice(0, limit);
  const rest = items.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** How much of each fact an inspection saw. A fact that it did not see is absent. */
type Inputs = NonNullable<Inspection['inputs']>;

/** The facts of the list of releases. */
export const LIST = ['releases', 'publication dates', 'deprecations'] as const;
/** The facts of the versions themselves. */
export const DETAILS = [
  'details',
  'provenances',
  'verified provenances',
  'advisories',
  'source projects',
] as const;

/** Counts the facts of a version. A list without the version itself, and details without its own, are not known. */
export function inputsOf({ key, releases, details }: ReleaseFacts): Inputs {
  const isListed = releases.some(({ version }) => version === key.version);
  const list = isListed
    ? {
        releases: releases.length,
        'publication dates': releases.filter(({ publishedAt }) => publishedAt !== undefined).length,
        deprecations: releases.filter(({ isDeprecated }) => isDeprecated).length,
      }
    : {};
  if (details?.has(key.version) !== true) return list;
  const all = [...details.values()];
  return {
    ...list,
    details: all.length,
    provenances: all.reduce((sum, { provenances }) => sum + provenances.length, 0),
    'verified provenances': all.reduce(
      (sum, { provenances }) => sum + provenances.filter(({ verified }) => verified).length,
      0,
    ),
    advisories: all.reduce((sum, { advisoryIds }) => sum + advisoryIds.length, 0),
    'source projects': all.reduce((sum, { projects }) => sum + projects.length, 0),
  };
}

/** The facts of which an inspection sees less than an earlier one saw. Releases, deprecations and attestations do not become fewer. */
export function lostInputs(before: Inputs, now: Inputs): ReadonlySet<string> {
  return new Set(Object.keys(before).filter((name) => (now[name] ?? 0) < (before[name] ?? 0)));
}

/** The most that inspections saw: later ones are compared with that. */
export function mostInputs(before: Inputs, now: Inputs): Inputs {
  const lost = lostInputs(before, now);
  return { ...now, ...Object.fromEntries(Object.entries(before).filter(([name]) => lost.has(name))) };
}

/** Returns what an inspection does not know: what it could not get, and what the index does not have or no longer states. */
export function unknownIn(failed: Inspection['unknown'], before: Inputs, now: Inputs): Inspection['unknown'] {
  const named = new Set(failed.map(({ fact }) => fact));
  const lost = lostInputs(before, now);
  const others = [LIST, DETAILS].flatMap((names) => {
    const [whole] = names;
    if (named.has(whole)) return [];
    if (now[whole] === undefined) return [{ fact: whole, reason: 'the index does not have the version' }];
    return names.flatMap((fact) =>
      lost.has(fact)
        ? [{ fact, reason: `the index states ${now[fact] ?? 0} where it stated ${before[fact] ?? 0}` }]
        : [],
    );
  });
  return [...failed, ...others];
}

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

/** A version that its authors take back soon is repaired by the one after it. */
const SOON_MS = 7 * 24 * 3_600_000;

/**
 * Whether the version repairs another one of its line: an advisory affects the version before it and not this one, or the version
 * before it was deprecated within days. An honest repair of several lines looks like an attack otherwise.
 */
export function isFix({ key, releases, details }: ReleaseFacts): boolean {
  const found = releaseAmong(releases, key.version);
  const line = (found?.before ?? [])
    .filter(({ version }) => lineOf(version) === lineOf(key.version))
    .slice(-2);
  const last = line.at(-1);
  if (found === undefined || last === undefined || found.locked.isDeprecated) return false;
  if (last.isDeprecated && found.locked.publishedAt - last.publishedAt <= SOON_MS) return true;
  const own = details?.get(key.version);
  if (own === undefined) return false;
  return line.some(({ version }) =>
    (details?.get(version)?.advisoryIds ?? []).some((id) => !own.advisoryIds.includes(id)),
  );
}
