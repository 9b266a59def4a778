import type { Finding } from '../../model/scan/finding.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { compareScans, hashesOf } from '../../policy/review/compare-scans.ts';
import type { ProducedLockfile, ScanRequest } from '../../scan/read.ts';
import { isLarge, limitGarbage } from '../scanning/large-scan.ts';
import { type RevisionOptions, readRevisions } from './revisions.ts';

/**
 * Scans both sides of a range, the older one first, as two scans of one target: the second verdict says what changed. Look-ups of
 * packages that both sides have are made once. Throws what `readRevisions` throws.
 */
export async function scanRevisions(
  scan: (request: Promise<ScanRequest>) => Promise<ScanReport>,
  { target, ...options }: RevisionOptions & { readonly target: string },
): Promise<ScanReport> {
  const { base, before, after } = await readRevisions(options);
  if (isLarge([...before, ...after])) limitGarbage();
  const request = async (lockfiles: readonly ProducedLockfile[]): Promise<ScanRequest> => {
    return { target: { id: target }, lockfiles };
  };
  // A commit without lockfiles has no findings, and nothing to scan.
  const old = before.length === 0 ? undefined : await scan(request(before));
  const report = withoutAges(await scan(request(after)));
  const facts = {
    base,
    findings: old?.verdict.findings ?? [],
    gaps: old?.verdict.gaps ?? [],
    hashes: hashesOf(old === undefined ? [] : [...old.inventory.lockfiles, ...old.inventory.unread]),
  };
  return { ...report, comparison: compareScans(report, facts) };
}

/** Both sides were scanned just now: since when a finding is open is not known. */
function withoutAges(report: ScanReport): ScanReport {
  const { findings, changes } = report.verdict;
  const verdict = {
    ...report.verdict,
    findings: findings.map(withoutAge),
    changes: changes.map((change) => ({ ...change, finding: withoutAge(change.finding) })),
  };
  return { ...report, verdict };
}

function withoutAge({ age: _age, due: _due, ...finding }: Finding): Finding {
  return finding;
}
