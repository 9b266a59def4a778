import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { OsvRecord } from '../model/advisories/osv-record.ts';
import { messageOf } from '../model/errors.ts';
import type { System } from '../model/lockfile/ecosystem.ts';
import type { OpenedBundle } from './bundle.ts';
import { type Coverage, updateAdvisories } from './database.ts';
import { AdvisoryError } from './errors.ts';
import { type ReadRecord, readOsvRecord } from './osv-record.ts';
import { osvRecords, type RecordText } from './osv-source.ts';

/** What an import did. */
export interface OsvImport {
  /** Records that were stored; `older`: that were not, because a newer one is stored. */
  readonly stored: number;
  readonly older: number;
  /** Of the stored ones: those that are withdrawn, and those about packages of other ecosystems alone. */
  readonly withdrawn: number;
  readonly foreign: number;
  /** Records that cannot be read. They are not stored. */
  readonly rejected: number;
  /** The first records, and parts of them, that cannot be read. */
  readonly problems: readonly string[];
  /** What is stored now. */
  readonly coverage: readonly Coverage[];
}

interface ImportOptions {
  /** The database (`advisoriesPath`). */
  readonly path: string;
  /** A file or folder. */
  readonly from: string;
  /** Shown as the source of the advisories: the URL that the file was read from. Default: `from`. */
  readonly source?: string;
  readonly signal: AbortSignal;
}

const MAX_PROBLEMS = 20;
/** Records between two looks at the signal. */
const STEP = 500;

/**
 * Adds the advisories of a source to the stored ones, all or none. A system is covered from then on when a record concerns it alone:
 * records of other systems name it in passing. Throws `AdvisoryError`, `FileError`, and the reason of the signal.
 */
export async function importOsv({ path, from, source = from, signal }: ImportOptions): Promise<OsvImport> {
  const update = await updateAdvisories(path);
  const counts = { stored: 0, older: 0, withdrawn: 0, foreign: 0, rejected: 0 };
  const problems: string[] = [];
  const report = (where: string, problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(`${where}: ${problem}`);
  };
  /** The time of the newest record, by system. */
  const newest = new Map<System, string>();
  try {
    let read = 0;
    for await (const one of osvRecords(from)) {
      read += 1;
      if (read % STEP === 0) await yieldToOthers();
      signal.throwIfAborted();
      const record = recordIn(one, (problem) => report(one.where, problem));
      if (record === undefined) {
        counts.rejected += 1;
        continue;
      }
      const { problems: parts, ...own } = record;
      for (const problem of parts) report(`${one.where} (${record.id})`, problem);
      follow(newest, own);
      if (!update.put(own)) counts.older += 1;
      else {
        counts.stored += 1;
        if (record.withdrawn !== undefined) counts.withdrawn += 1;
        if (record.affected.length === 0) counts.foreign += 1;
      }
    }
    if (counts.stored + counts.older === 0)
      throw new AdvisoryError('no-records', `${from}: no advisory that can be read${first(problems)}`);
    const importedAt = new Date().toISOString();
    for (const [system, asOf] of newest) update.cover({ system, asOf, importedAt, source });
    const coverage = update.coverage();
    update.complete();
    return { ...counts, problems, coverage };
  } finally {
    update.discard();
  }
}

function recordIn({ text }: RecordText, report: (problem: string) => void): ReadRecord | undefined {
  try {
    if (text === undefined) throw new Error('larger than 16 MiB');
    return readOsvRecord(JSON.parse(text));
  } catch (error) {
    report(messageOf(error));
    return undefined;
  }
}

function follow(newest: Map<System, string>, { affected, modified, published = modified }: OsvRecord): void {
  const [system, ...others] = new Set(affected.map((one) => one.system));
  if (system === undefined || others.length > 0) return;
  const known = [modified, published, newest.get(system) ?? modified];
  newest.set(
    system,
    known.reduce((one, other) => (Date.parse(one) < Date.parse(other) ? other : one)),
  );
}

function first([problem]: readonly string[]): string {
  return problem === undefined ? '' : `: ${problem}`;
}

/** What the import of a bundle did. */
export interface BundleImport {
  readonly createdAt: string;
  readonly verified: boolean;
  /** As in `OsvImport`. */
  readonly stored: number;
  readonly older: number;
  readonly coverage: readonly Coverage[];
}

/**
 * Adds the advisories of a bundle to the stored ones, all or none. Throws `AdvisoryError` (`older` when a newer bundle was imported, or
 * when this one has only what changed after a time that the last one does not reach).
 */
export async function importBundle(
  { head, isVerified, records }: OpenedBundle,
  { path, signal }: Pick<ImportOptions, 'path' | 'signal'>,
): Promise<BundleImport> {
  const { createdAt, since } = head;
  const update = await updateAdvisories(path);
  const counts = { stored: 0, older: 0 };
  try {
    const last = update.lastBundle();
    if (last !== undefined && Date.parse(createdAt) < Date.parse(last))
      throw new AdvisoryError(
        'older',
        `the bundle is of ${createdAt}, and the last one that was imported of ${last}`,
      );
    if (since !== undefined && (last === undefined || Date.parse(last) < Date.parse(since)))
      throw new AdvisoryError(
        'older',
        `the bundle has what changed since ${since}, and the last one that was imported is ${last === undefined ? 'none' : `of ${last}`}`,
      );
    let read = 0;
    for await (const record of records()) {
      read += 1;
      if (read % STEP === 0) await yieldToOthers();
      signal.throwIfAborted();
      counts[update.put(record) ? 'stored' : 'older'] += 1;
    }
    for (const { records: _records, ...coverage } of head.coverage) update.cover(coverage);
    update.setLastBundle(createdAt);
    const coverage = update.coverage();
    update.complete();
    return { createdAt, verified: isVerified, ...counts, coverage };
  } finally {
    update.discard();
  }
}
