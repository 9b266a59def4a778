import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { isReadWhole } from '../model/scan/lockfile.ts';
import type { ScanReport } from '../model/scan/verdict.ts';

type ScannedLockfile = ScanReport['inventory']['lockfiles'][number];

/** Entries in one part: a few tens of kilobytes. */
const ENTRIES = 100;

/**
 * The scan as one JSON document on one line, for machines: every package with its outcome, every finding with its evidence.
 * Returned in parts, because the document of a large lockfile takes several megabytes.
 */
export function* renderJson({ inventory, verdict }: ScanReport): Generator<string> {
  const { scan, target, requestedAt, superseded, counts, complete, partial, open, kept } = verdict;
  const facts = { scan, target, requestedAt, superseded, complete, partial, counts, open, kept };
  yield `${opened({ schema: 'lockhound.scan/1', ...facts })},"lockfiles":[`;
  for (const [index, lockfile] of inventory.lockfiles.entries()) {
    if (index > 0) yield ',';
    yield* lockfileParts(lockfile);
  }
  yield `],"unread":${JSON.stringify(inventory.unread)},"findings":`;
  yield* arrayParts(verdict.findings, (finding) => finding);
  yield ',"changes":';
  yield* arrayParts(verdict.changes, ({ transition, previousSeverity, finding }) => ({
    transition,
    previousSeverity,
    fingerprint: finding.fingerprint,
  }));
  yield ',"gaps":';
  yield* arrayParts(verdict.gaps, (gap) => gap);
  yield '}\n';
}

function* lockfileParts({ path, sha256, format, packages, problems }: ScannedLockfile): Generator<string> {
  yield `${opened({ path, sha256, format, complete: isReadWhole({ problems }) })},"packages":`;
  yield* arrayParts(packages, packageEntry);
  yield `,"problems":${JSON.stringify(problems)}}`;
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

/** The JSON of an object without its closing brace. */
function opened(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

function* arrayParts<Item>(items: readonly Item[], entryOf: (item: Item) => object): Generator<string> {
  if (items.length === 0) yield '[';
  for (let from = 0; from < items.length; from += ENTRIES) {
    const entries = items.slice(from, from + ENTRIES).map(entryOf);
    yield `${from > 0 ? ',' : '['}${JSON.stringify(entries).slice(1, -1)}`;
  }
  yield ']';
}
