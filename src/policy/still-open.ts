import type { Finding, Location } from '../model/scan/finding.ts';
import type { Inventory, LockfileInventory } from '../model/scan/inventory.ts';
import { isReadWhole } from '../model/scan/lockfile.ts';
import type { Resolution } from '../model/scan/resolution.ts';
import { RULES } from './catalog.ts';

/**
 * Tells of a remembered finding that a scan did not find again what the scan cannot disprove: the finding with the places
 * where it may still stand, or `undefined` when it is provably gone. `isLater` names lockfiles that a scan asked for later
 * has judged already: of these this scan proves nothing.
 */
export type StillOpen = (finding: Finding, isLater: (path: string) => boolean) => Finding | undefined;

/** A package version on which a rule failed. */
export interface Unjudged {
  readonly rule: string;
  readonly purl: string;
  readonly reason: string;
}

export interface StillOpenOptions {
  /** Whether the scan named only some of the target's lockfiles. */
  readonly partial: boolean;
  readonly unjudged?: readonly Unjudged[];
}

/**
 * A finding is gone from a lockfile that was read whole and does not hold its package version any more, or holds it with
 * facts that show no such issue; and from one that is not part of a scan that names all lockfiles of its target.
 */
export function stillOpenAfter(
  inventory: Inventory,
  { partial, unjudged = [] }: StillOpenOptions,
): StillOpen {
  const unread = unreadPaths(inventory);
  const files = new Map<string, SeenFile>();
  const unsure = new Set(unjudged.map(judgementKey));
  const unsurePurls = new Set(unjudged.map(({ purl }) => purl));
  for (const file of inventory.lockfiles) {
    files.set(file.path, seenFile(file, files.get(file.path), unsurePurls));
  }
  const standsAt = (finding: Finding, path: string): boolean => {
    if (unread(path)) return true;
    const file = files.get(path);
    return file === undefined ? partial : mayStandIn(file, finding, unsure);
  };
  return (finding, isLater) => {
    const locations = finding.locations.filter(({ path }) => isLater(path) || standsAt(finding, path));
    return locations.length === 0 ? undefined : { ...finding, locations };
  };
}

/** The places of a finding, and those remembered places of it in other lockfiles that a scan could not look at. */
export function withUnseenLocations(finding: Finding, remaining: Finding | undefined): Finding {
  if (remaining === undefined) return finding;
  const seen = new Set(finding.locations.map(({ path }) => path));
  const unseen: readonly Location[] = remaining.locations.filter(({ path }) => !seen.has(path));
  return unseen.length === 0 ? finding : { ...finding, locations: [...finding.locations, ...unseen] };
}

/** Tells of a path whether it is that of an unread file, or lies in an unread folder. */
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

/** What is known of a lockfile that was read. */
interface SeenFile {
  isWhole: boolean;
  /** Packages by name, of whose version, or of whose facts, nothing is known. */
  readonly doubtful: Set<string>;
  /** Purls of packages that the service does not know. */
  readonly missing: Set<string>;
  /** Purls of packages whose facts are known; only of a file that was not read whole. */
  readonly known: Set<string>;
  /** Purls of packages that not all rules judged. */
  readonly unjudged: Set<string>;
}

function seenFile(
  file: LockfileInventory,
  before: SeenFile | undefined,
  unjudged: ReadonlySet<string>,
): SeenFile {
  const seen = before ?? {
    isWhole: true,
    doubtful: new Set(),
    missing: new Set(),
    known: new Set(),
    unjudged: new Set(),
  };
  seen.isWhole &&= isReadWhole(file);
  for (const { ecosystem, name, version, purl, resolution } of file.packages) {
    if (unjudged.has(purl)) seen.unjudged.add(purl);
    if (isUnknown(resolution) || version === '') seen.doubtful.add(nameKey(ecosystem, name));
    else if (resolution.outcome === 'missing') seen.missing.add(purl);
    else if (!seen.isWhole && resolution.record !== undefined) seen.known.add(purl);
  }
  return seen;
}

/** Whether nothing was found out about a package. */
function isUnknown({ outcome }: Resolution): boolean {
  return outcome === 'failed' || outcome === 'uncovered';
}

function mayStandIn(file: SeenFile, finding: Finding, unsure: ReadonlySet<string>): boolean {
  const { isWhole, doubtful, missing, known, unjudged } = file;
  const { ecosystem, name, purl } = finding.package;
  if (doubtful.has(nameKey(ecosystem, name))) return true;
  if (unjudged.has(purl) && unsure.has(judgementKey({ rule: finding.rule, purl }))) return true;
  // The package is still there, and what the finding was made of is not.
  if (missing.has(purl) && READS_RECORDS.has(finding.rule)) return true;
  return !isWhole && !known.has(purl);
}

const READS_RECORDS: ReadonlySet<string> = new Set(
  RULES.filter(({ readsRecords }) => readsRecords).map(({ name }) => name),
);

function judgementKey({ rule, purl }: Pick<Unjudged, 'rule' | 'purl'>): string {
  return `${rule}\n${purl}`;
}

function nameKey(ecosystem: string, name: string): string {
  return `${ecosystem}\n${name}`;
}
