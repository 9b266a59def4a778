import type { TrackedFinding } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import { inSlices } from '../model/yielding.ts';
import { issueKeys } from './same-finding.ts';

/** Stored findings by their subject: the cost of a look-up does not depend on their number. */
export interface TrackedIndex {
  /** Those about the same issue of the same package version, in stored order. */
  sameVersion(finding: Finding): readonly TrackedFinding[];
  /**
   * The first one about the same issue of the package, at any version, for which `holds` is true. A finding for which it was
   * false is never tested again.
   */
  first(finding: Finding, holds: (tracked: TrackedFinding) => boolean): TrackedFinding | undefined;
}

interface Entry {
  readonly tracked: TrackedFinding;
  readonly order: number;
}

/** The entries of one key, and the position where the next search starts. */
interface Row {
  readonly entries: Entry[];
  at: number;
}

export async function indexTracked(stored: readonly TrackedFinding[]): Promise<TrackedIndex> {
  const versions = new Map<string, Row>();
  const issues = new Map<string, Row>();
  let order = 0;
  for await (const slice of inSlices(stored)) {
    for (const tracked of slice) {
      const entry = { tracked, order };
      order += 1;
      for (const key of issueKeys(tracked.finding)) {
        add(issues, key, entry);
        add(versions, versionKey(tracked.finding, key), entry);
      }
    }
  }
  return {
    sameVersion(finding) {
      const found = new Set<Entry>();
      for (const key of issueKeys(finding)) {
        for (const entry of versions.get(versionKey(finding, key))?.entries ?? []) found.add(entry);
      }
      return [...found].sort((left, right) => left.order - right.order).map(({ tracked }) => tracked);
    },
    first(finding, holds) {
      let first: Entry | undefined;
      for (const key of issueKeys(finding)) {
        const entry = headOf(issues.get(key), holds);
        if (entry !== undefined && (first === undefined || entry.order < first.order)) first = entry;
      }
      return first?.tracked;
    },
  };
}

function headOf(row: Row | undefined, holds: (tracked: TrackedFinding) => boolean): Entry | undefined {
  if (row === undefined) return undefined;
  for (let entry = row.entries[row.at]; entry !== undefined; entry = row.entries[row.at]) {
    if (holds(entry.tracked)) return entry;
    row.at += 1;
  }
  return undefined;
}

function add(rows: Map<string, Row>, key: string, entry: Entry): void {
  const row = rows.get(key);
  if (row === undefined) rows.set(key, { entries: [entry], at: 0 });
  else row.entries.push(entry);
}

function versionKey({ package: { purl } }: Finding, key: string): string {
  return `${purl} ${key}`;
}
