import type { ScanReport } from '../model/scan/verdict.ts';
import { changeEntry, comparisonEntry, lockfileFacts, packageEntry, scanFacts } from './json.ts';

/**
 * The scan as lines of JSON, for programs that read a stream. Each line has a `type`: `scan` comes first; `package` lines follow the
 * `lockfile` that they are of; `end` comes last, so that a reader knows that it has everything. The entries are those of the
 * JSON report.
 */
export function* renderNdjson({
  inventory,
  verdict,
  comparison,
  offline,
  advice,
}: ScanReport): Generator<string> {
  yield line('scan', { schema: 'lockhound.scan-lines/1', ...scanFacts(verdict) });
  for (const lockfile of inventory.lockfiles) {
    yield line('lockfile', { ...lockfileFacts(lockfile), problems: lockfile.problems });
    for (const one of lockfile.packages) yield line('package', packageEntry(one));
  }
  for (const one of inventory.unread) yield line('unread', one);
  for (const one of verdict.findings) yield line('finding', one);
  for (const one of verdict.changes) yield line('change', changeEntry(one));
  for (const one of verdict.unusedSuppressions ?? []) yield line('unused-suppression', one);
  for (const one of verdict.gaps) yield line('gap', one);
  for (const one of advice?.plans ?? []) yield line('plan', one);
  for (const one of advice?.unadvised ?? []) yield line('unadvised', one);
  if (offline !== undefined) yield line('offline', offline);
  if (comparison !== undefined) yield line('comparison', comparisonEntry(comparison));
  yield line('end', { findings: verdict.findings.length, gaps: verdict.gaps.length });
}

function line(type: string, entry: object): string {
  return `${JSON.stringify({ type, ...entry })}\n`;
}
