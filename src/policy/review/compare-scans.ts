import type { JudgedImage } from '../../model/image/image.ts';
import type { ComparisonBase, ScanComparison } from '../../model/review/scan-comparison.ts';
import { advisoryNames, isMalwareReport } from '../../model/scan/advisory-names.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Gap } from '../../model/scan/gap.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';

/** The state that a scan is compared with. */
export interface BaseFacts {
  readonly base: ComparisonBase;
  readonly findings: readonly Finding[];
  readonly gaps: readonly Gap[];
  /** The image that it named. */
  readonly image?: JudgedImage;
  /** SHA-256 of the contents of its lockfiles, by path. */
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * Says what a scan has that its base has not. The verdict is that of a scan whose target had the findings of the base, so its changes
 * are the differences.
 */
export function compareScans(
  { inventory, verdict }: ScanReport,
  { base, findings, gaps, hashes }: BaseFacts,
): ScanComparison {
  const before = new Map(findings.map((finding) => [finding.fingerprint, finding]));
  const changed = new Set(
    verdict.changes
      .filter(({ transition }) => transition !== 'resolved')
      .map(({ finding }) => finding.fingerprint),
  );
  const introduced = new Set(
    verdict.findings
      .filter((finding) => changed.has(finding.fingerprint) || isInMore(finding, before))
      .map(({ fingerprint }) => fingerprint),
  );
  const refused = verdict.findings.filter(
    (finding) =>
      base.kind === 'report' &&
      advisoryNames(finding).some(isMalwareReport) &&
      !introduced.has(finding.fingerprint),
  );
  const current = hashesOf([...inventory.lockfiles, ...inventory.unread]);
  const isSame = (path: string) => current.has(path) && current.get(path) === hashes.get(path);
  const known = new Set(gaps.map(gapKey));
  return {
    base,
    introduced: [...introduced],
    refused: refused.map(({ fingerprint }) => fingerprint),
    gone: verdict.changes.flatMap(({ transition, finding }) => (transition === 'resolved' ? finding : [])),
    newGaps: verdict.gaps.filter((gap) => !known.has(gapKey(gap)) || mayBeNew(gap, isSame)),
    baseGaps: gaps.length,
  };
}

/** The contents of files by path. One that could not be read at all has none. */
export function hashesOf(
  files: readonly { readonly path: string; readonly sha256?: string | undefined }[],
): ReadonlyMap<string, string> {
  return new Map(
    files.flatMap(({ path, sha256 }) => (sha256 === undefined ? [] : [[path, sha256] as const])),
  );
}

/** Whether a finding is in more lockfiles than before. A lockfile that was renamed does not count. */
function isInMore(finding: Finding, before: ReadonlyMap<string, Finding>): boolean {
  const known = before.get(finding.fingerprint);
  return known !== undefined && lockfilesOf(finding) > lockfilesOf(known);
}

function lockfilesOf({ locations }: Finding): number {
  return new Set(locations.map(({ path }) => path)).size;
}

function gapKey({ kind, subject }: Gap): string {
  return `${kind}\n${subject}`;
}

const ABOUT_LOCKFILES: ReadonlySet<Gap['kind']> = new Set(['lockfile', 'entry', 'detail']);

/** A lockfile that neither side could read may still have changed. A service that lost its data says nothing about either. */
function mayBeNew({ kind, subject }: Gap, isSame: (path: string) => boolean): boolean {
  if (kind === 'service') return true;
  return ABOUT_LOCKFILES.has(kind) && !isSame(subject.replace(/:\d+$/, ''));
}
