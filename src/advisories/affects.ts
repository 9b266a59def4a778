import type { Affected, RangeEvent } from '../model/advisories/osv-record.ts';
import type { System } from '../model/lockfile/ecosystem.ts';
import { schemeOf } from '../versions/scheme.ts';

/**
 * Whether an advisory affects a version of a package, as the OSV schema evaluates it ("Evaluation"). `undefined` when the version is not
 * listed and cannot be compared with the ranges, or when the record has others that cannot be read.
 */
export function affects(
  { versions, ranges, unread }: Affected,
  system: System,
  version: string,
): boolean | undefined {
  if (versions.includes(version)) return true;
  const { isValid, compare } = schemeOf(system);
  const otherwise = unread === true ? undefined : false;
  if (!isValid(version)) return ranges.length === 0 ? otherwise : undefined;
  if (ranges.some((events) => inRange(events, version, compare))) return true;
  const [major, own] = [majorOf(version), releaseOf(version)];
  const isListed = versions.some((one) => {
    const other = major === undefined ? undefined : majorOf(one);
    if (other !== undefined && other !== major) return false;
    const release = own && releaseOf(one);
    return (release === undefined || release === own) && isValid(one) && compare(one, version) === 0;
  });
  return isListed || otherwise;
}

/** The first number of a version; `undefined` where it is not certain. Most listed versions have another one, and need no expression. */
function majorOf(version: string): number | undefined {
  const code = version.charCodeAt(0);
  return code < 48 || code > 57 || version.includes('!') ? undefined : Number.parseInt(version, 10);
}

const LEADING = /^[\s=v]*(?:go)?(\d+(?:\.\d+)*)/i;
/** An epoch, and a number that is left out: they may be those of another release. */
const UNSURE = /!|\.\./;

/**
 * The numbers that a version begins with, without zeros that change nothing: versions that are equal in the order of an ecosystem have the
 * same ones. `undefined` where that is not certain. To compare a version with hundreds of others takes longer than the rest of a scan.
 */
function releaseOf(version: string): string | undefined {
  const [, numbers] = LEADING.exec(version) ?? [];
  if (numbers === undefined || UNSURE.test(version)) return undefined;
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  return parts.slice(0, parts.findLastIndex((part) => part !== '0') + 1).join('.');
}

/** `events`: in the order of versions. */
function inRange(
  events: readonly RangeEvent[],
  version: string,
  compare: (left: string, right: string) => number,
): boolean {
  let isAffected = false;
  let isLimited = false;
  let isWithinLimit = false;
  for (const [kind, bound] of events) {
    const order = bound === '0' && kind === 'introduced' ? 1 : compare(version, bound);
    if (kind === 'introduced' && order >= 0) isAffected = true;
    if (kind === 'fixed' && order >= 0) isAffected = false;
    if (kind === 'last_affected' && order > 0) isAffected = false;
    if (kind === 'limit') {
      isLimited = true;
      isWithinLimit ||= order < 0;
    }
  }
  return isAffected && (!isLimited || isWithinLimit);
}

/** The lowest version in which the ranges of an advisory that hold a version end; `undefined` where one of them names none, or none holds it. */
export function fixedAfter({ ranges }: Affected, system: System, version: string): string | undefined {
  const { compare, isValid } = schemeOf(system);
  if (!isValid(version)) return undefined;
  const holding = ranges.filter((events) => inRange(events, version, compare));
  const fixes = holding.map(
    (events) => events.find(([kind, bound]) => kind === 'fixed' && compare(version, bound) < 0)?.[1],
  );
  return highestOf(fixes, system);
}

/** `undefined` where one of the versions is not known, and for none. */
export function highestOf(versions: readonly (string | undefined)[], system: System): string | undefined {
  const known = versions.filter((one) => one !== undefined);
  return known.length < versions.length ? undefined : known.sort(schemeOf(system).compare).at(-1);
}

const SIGNS = { introduced: '>=', fixed: '<', last_affected: '<=', limit: '<' };
const MAX_TEXT = 200;

/** The affected versions in a few words: `<1.2.0, >=2.0.0 <2.1.0`, or those that are listed. */
export function versionsText({ versions, ranges }: Affected): string {
  const spans = ranges.map((events) => {
    const bounds = events.map(
      ([kind, bound], at) => `${at > 0 && kind === 'introduced' ? ',' : ''} ${SIGNS[kind]}${bound}`,
    );
    return bounds
      .join('')
      .replace(/^ >=0(?= <)/, '')
      .trim();
  });
  const text = (spans.length > 0 ? spans : versions).join(', ');
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** The versions with which the ranges of an advisory end. */
export function fixedVersions({ ranges }: Affected): readonly string[] {
  return ranges.flatMap((events) => events.flatMap(([kind, version]) => (kind === 'fixed' ? [version] : [])));
}
