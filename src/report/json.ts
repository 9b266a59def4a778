import { isReadWhole } from '../model/lockfile/read-whole.ts';
import type { Change } from '../model/scan/change.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../model/scan/inventory.ts';
import type { ScanReport, Verdict } from '../model/scan/verdict.ts';

/**
 * The scan as one JSON document on one line, for machines: every package with its outcome, every finding with its evidence.
 * Returned in parts, because the document of a large lockfile takes several megabytes.
 */
export function* renderJson(report: ScanReport): Generator<string> {
  const { inventory, verdict, comparison, offline, advice } = report;
  const unchanged = inventory.unchanged === undefined ? undefined : true;
  yield `${openedObject({ schema: 'lockhound.scan/1', ...scanFacts(verdict), unchanged })},"lockfiles":[`;
  for (const [index, lockfile] of inventory.lockfiles.entries()) {
    if (index > 0) yield ',';
    yield* lockfileParts(lockfile);
  }
  yield `],"unread":${JSON.stringify(inventory.unread)},"findings":`;
  yield* listParts(verdict.findings, (finding) => finding);
  yield ',"changes":';
  yield* listParts(verdict.changes, changeEntry);
  yield `,"unusedSuppressions":${JSON.stringify(verdict.unusedSuppressions ?? [])},"gaps":`;
  yield* listParts(verdict.gaps, (gap) => gap);
  if (advice !== undefined) yield `,"advice":${JSON.stringify(advice)}`;
  if (offline !== undefined) yield `,"offline":${JSON.stringify(offline)}`;
  if (comparison !== undefined) yield `,"comparison":${JSON.stringify(comparison)}`;
  yield '}\n';
}

/** The facts about the whole scan. */
export function scanFacts(verdict: Verdict): object {
  const { scan, target, requestedAt, superseded, counts, complete, partial, open, kept, image } = verdict;
  return { scan, target, requestedAt, superseded, complete, partial, counts, open, kept, image };
}

/** A change; its finding is in the list of findings, unless it was resolved. */
export function changeEntry({ transition, previousSeverity, reason, finding }: Change): object {
  return { transition, previousSeverity, reason, fingerprint: finding.fingerprint };
}

function* lockfileParts(lockfile: ResolvedLockfile): Generator<string> {
  yield `${openedObject(lockfileFacts(lockfile))},"packages":`;
  yield* listParts(lockfile.packages, packageEntry);
  yield `,"problems":${JSON.stringify(lockfile.problems)}}`;
}

export function lockfileFacts({ path, sha256, format, problems }: ResolvedLockfile): object {
  return { path, sha256, format, complete: isReadWhole({ problems }) };
}

export function packageEntry({ resolution, ...locked }: ResolvedPackage): object {
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

/** Entries in one part: about as much as is written at once. */
const ENTRIES = 128;

/** The JSON of an object without its closing brace. */
export function openedObject(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

/** A list as JSON in parts, because that of a large lockfile takes several megabytes. */
export function* listParts<Item>(items: readonly Item[], entryOf: (item: Item) => object): Generator<string> {
  if (items.length === 0) yield '[';
  for (let from = 0; from < items.length; from += ENTRIES) {
    const entries: unknown[] = items.slice(from, from + ENTRIES).map(entryOf);
    // A first element that is cut off leaves the comma; to put one before a text copies the text.
    if (from > 0) entries.unshift(0);
    yield JSON.stringify(entries).slice(from > 0 ? 2 : 0, -1);
  }
  yield ']';
}

/**
 * The scan as lines of JSON, for programs that read a stream. Each line has a `type`: `scan` comes first; `package` lines follow the
 * `lockfile` that they are of; `end` comes last, so that a reader knows that it has everything. The entries are those of the
 * JSON report.
 */
export function* renderNdjson(report: ScanReport): Generator<string> {
  const { inventory, verdict, comparison, offline, advice } = report;
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
  if (comparison !== undefined) yield line('comparison', comparison);
  yield line('end', { findings: verdict.findings.length, gaps: verdict.gaps.length });
}

function line(type: string, entry: object): string {
  return `${JSON.stringify({ type, ...entry })}\n`;
}
