import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { isReadWhole } from '../model/scan/lockfile.ts';
import type { ScanReport } from '../model/scan/verdict.ts';

/** The scan as one JSON document on one line, for machines: every package with its outcome, every finding with its evidence. */
export function renderJson({ inventory, verdict }: ScanReport): string {
  const {
    scan,
    target,
    requestedAt,
    superseded,
    counts,
    findings,
    changes,
    gaps,
    complete,
    partial,
    open,
    kept,
  } = verdict;
  const lockfiles = inventory.lockfiles.map(({ path, sha256, format, packages, problems }) => ({
    path,
    sha256,
    format,
    complete: isReadWhole({ problems }),
    packages: packages.map(packageEntry),
    problems,
  }));
  const document = {
    schema: 'lockhound.scan/1',
    scan,
    target,
    requestedAt,
    superseded,
    complete,
    partial,
    counts,
    open,
    kept,
    lockfiles,
    unread: inventory.unread,
    findings,
    changes: changes.map(({ transition, previousSeverity, finding }) => ({
      transition,
      previousSeverity,
      fingerprint: finding.fingerprint,
    })),
    gaps,
  };
  return `${JSON.stringify(document)}\n`;
}

function packageEntry({ resolution, ...locked }: ResolvedPackage): object {
  const { outcome, reason, record } = resolution;
  return {
    ...locked,
    outcome,
    reason,
    publishedAt: record?.publishedAt,
    deprecated: record?.isDeprecated,
    licenses: record?.licenses,
    advisories: record?.advisoryIds,
  };
}
