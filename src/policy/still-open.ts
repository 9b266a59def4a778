import { isReadWhole } from '../model/lockfile/read-whole.ts';
import type { Finding, Location } from '../model/scan/finding.ts';
import type { Inventory, Resolution, ResolvedLockfile } from '../model/scan/inventory.ts';
import { PRIVATE_NAME } from '../model/scan/outcome.ts';
import { RULES } from './catalog.ts';
import { baseImage } from './rules/base-image.ts';
import { staleException } from './rules/stale-exception.ts';
import { unindexed } from './rules/unindexed.ts';
import { unwatched } from './rules/unwatched.ts';
import { vanished } from './rules/vanished.ts';
import { vulnerability } from './rules/vulnerability.ts';

/** Rules whose findings are not about lockfiles: about the source that they came from, or the image that they are in. */
const APART: ReadonlySet<string> = new Set([unwatched.name, baseImage.name]);

/**
 * The part of a stored finding that a scan did not find and that may still be open: the finding with the locations where it may still be,
 * or `undefined` when it is provably gone. The scan proves nothing for lockfiles that a scan requested later has judged (`isLater`).
 */
export type StillOpen = (finding: Finding, isLater: (path: string) => boolean) => Finding | undefined;

/** A package version on which a rule failed, or of which it may lack findings. */
export interface Unjudged {
  readonly rule: string;
  readonly purl: string;
  readonly reason: string;
}

interface StillOpenOptions {
  /** Whether the scan named only some of the target's lockfiles. */
  readonly partial: boolean;
  readonly unjudged?: readonly Unjudged[];
  /** Purls of exceptions on which the verdict is not known. Absent: no exception was judged. */
  readonly exceptions?: ReadonlySet<string> | undefined;
}

/**
 * A finding is gone from a lockfile that was read completely and no longer holds its package version, or holds it with facts
 * that show no such issue; and from a lockfile that is not part of a full scan.
 */
export function stillOpenAfter(
  inventory: Inventory,
  { partial, unjudged = [], exceptions }: StillOpenOptions,
): StillOpen {
  const unread = unreadPaths(inventory);
  const stated = inventory.lockfiles.flatMap(({ exceptions: all = [] }) => all);
  const unreadFiles = new Set(stated.flatMap(({ kind, path }) => (kind === 'unread' ? path : [])));
  const files = new Map<string, SeenLockfile>();
  const unsure = new Set(unjudged.map(judgementKey));
  const unsurePurls = new Set(unjudged.map(({ purl }) => purl));
  for (const file of inventory.lockfiles) {
    files.set(file.path, seenFile(file, files.get(file.path), unsurePurls));
  }
  const mayBeAt = (finding: Finding, path: string): boolean => {
    if (unread(path)) return true;
    const file = files.get(path);
    return file === undefined ? partial : mayBeIn(file, finding, unsure);
  };
  return (finding, isLater) => {
    if (APART.has(finding.rule)) return finding;
    if (finding.rule === staleException.name) {
      const isRead = finding.locations.every(({ path }) => !unread(path) && !unreadFiles.has(path));
      return isRead && exceptions?.has(finding.package.purl) === false ? undefined : finding;
    }
    const locations = finding.locations.filter(({ path }) => isLater(path) || mayBeAt(finding, path));
    return locations.length === 0 ? undefined : { ...finding, locations };
  };
}

/** The finding with its stored locations in other lockfiles that the scan could not read. */
export function withUnseenLocations(finding: Finding, remaining: Finding | undefined): Finding {
  if (remaining === undefined) return finding;
  const seen = new Set(finding.locations.map(({ path }) => path));
  const unseen: readonly Location[] = remaining.locations.filter(({ path }) => !seen.has(path));
  return unseen.length === 0 ? finding : { ...finding, locations: [...finding.locations, ...unseen] };
}

/** Returns whether a path belongs to an unread file or folder. */
function unreadPaths({ unread }: Inventory): (path: string) => boolean {
  const paths = new Set(unread.map(({ path }) => path));
  if (paths.has('./')) return () => true;
  return (path) => {
    if (paths.has(path)) return true;
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (paths.has(path.slice(0, end + 1))) return true;
    }
    return false;
  };
}

/** Facts about a lockfile that was read. */
interface SeenLockfile {
  isWhole: boolean;
  /** Names of packages whose version or facts are unknown. */
  readonly doubtful: Set<string>;
  /** Purls that the service does not know, also where imported advisories do, or was not asked about. */
  readonly missing: Set<string>;
  /** Purls of which imported advisories are all that is known. */
  readonly advised: Set<string>;
  /** Purls whose facts are known; only for a lockfile that was not read completely. */
  readonly known: Set<string>;
  /** Purls that a rule could not judge. */
  readonly unjudged: Set<string>;
}

function seenFile(
  file: ResolvedLockfile,
  before: SeenLockfile | undefined,
  unjudged: ReadonlySet<string>,
): SeenLockfile {
  const seen = before ?? {
    isWhole: true,
    doubtful: new Set(),
    missing: new Set(),
    advised: new Set(),
    known: new Set(),
    unjudged: new Set(),
  };
  seen.isWhole &&= isReadWhole(file);
  for (const { ecosystem, name, version, purl, resolution } of file.packages) {
    if (unjudged.has(purl)) seen.unjudged.add(purl);
    if (resolution.record?.advisoriesOnly === true) seen.advised.add(purl);
    if (isUnknown(resolution) || version === '') seen.doubtful.add(nameKey(ecosystem, name));
    else if (
      resolution.outcome === 'missing' ||
      resolution.record?.serviceLacks === true ||
      isFromElsewhere(resolution)
    )
      seen.missing.add(purl);
    else if (!seen.isWhole && resolution.record !== undefined) seen.known.add(purl);
  }
  return seen;
}

function isUnknown({ outcome }: Resolution): boolean {
  return outcome === 'failed' || outcome === 'uncovered';
}

/** Whether a package of this version comes from a registry that is not known to be a mirror. A name that is private is a decision. */
function isFromElsewhere({ outcome, reason }: Resolution): boolean {
  return outcome === 'private' && reason?.endsWith(PRIVATE_NAME) !== true;
}

function mayBeIn(file: SeenLockfile, finding: Finding, unsure: ReadonlySet<string>): boolean {
  const { isWhole, doubtful, missing, advised, known, unjudged } = file;
  const { ecosystem, name, purl } = finding.package;
  if (doubtful.has(nameKey(ecosystem, name))) return true;
  if (unjudged.has(purl) && unsure.has(judgementKey({ rule: finding.rule, purl }))) return true;
  // The package is still locked, but its record is missing.
  if (missing.has(purl) && READS_RECORDS.has(finding.rule)) return true;
  if (advised.has(purl) && READS_INDEX.has(finding.rule)) return true;
  return !isWhole && !known.has(purl);
}

const READS_RECORDS: ReadonlySet<string> = new Set(
  RULES.filter(({ readsRecords }) => readsRecords).map(({ name }) => name),
);

/** Rules about what imported advisories do not state. */
const READS_INDEX: ReadonlySet<string> = new Set(
  [...READS_RECORDS, unindexed.name, vanished.name].filter((name) => name !== vulnerability.name),
);

function judgementKey({ rule, purl }: Pick<Unjudged, 'rule' | 'purl'>): string {
  return `${rule}\n${purl}`;
}

function nameKey(ecosystem: string, name: string): string {
  return `${ecosystem}\n${name}`;
}
