import { MAX_AHEAD_MS, type OsvRecord } from '../model/advisories/osv-record.ts';
import { messageOf } from '../model/errors.ts';
import type { System } from '../model/lockfile/ecosystem.ts';
import { createYielder } from '../model/yielding.ts';
import type { OpenedBundle } from './bundle.ts';
import { type AdvisoryUpdate, type Coverage, updateAdvisories } from './database.ts';
import { AdvisoryError } from './errors.ts';
import { type ReadRecord, readOsvRecord } from './osv-record.ts';
import { osvRecords, type RecordText } from './osv-source.ts';

/** The result of an import. */
export interface OsvImport {
  /** Records that were stored; `older`: that were not, because a newer one is stored. */
  readonly stored: number;
  readonly older: number;
  /** The number of stored ones that are withdrawn, or are about packages of other ecosystems alone. */
  readonly withdrawn: number;
  readonly foreign: number;
  /** Records that cannot be read. They are not stored. */
  readonly rejected: number;
  /** The first records, and parts of them, that cannot be read. */
  readonly problems: readonly string[];
  /** The coverage of what is stored now. */
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
const EPOCH = new Date(0).toISOString();

/**
 * Adds the advisories of a source to the stored ones, all or none. A system is covered from then on when a record concerns it alone:
 * records of other systems name it in passing. Throws `AdvisoryError`, `FileError`, and the reason of the signal.
 */
export async function importOsv({ path, from, source = from, signal }: ImportOptions): Promise<OsvImport> {
  const counts = { stored: 0, older: 0, withdrawn: 0, foreign: 0, rejected: 0 };
  const problems: string[] = [];
  let firstRejected = '';
  const report = (where: string, problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(`${where}: ${problem}`);
  };
  /** The time of the newest record, by system. */
  const newest = new Map<System, string>();
  const add = (update: AdvisoryUpdate, one: RecordText): void => {
    const read = recordIn(one, (problem) => {
      report(one.where, problem);
      firstRejected ||= `${one.where}: ${problem}`;
    });
    if (read === undefined) {
      counts.rejected += 1;
      return;
    }
    const { problems: parts, ...record } = read;
    for (const problem of parts) report(`${one.where} (${record.id})`, problem);
    follow(newest, record);
    if (!update.put(record)) {
      counts.older += 1;
      return;
    }
    counts.stored += 1;
    if (record.withdrawn !== undefined) counts.withdrawn += 1;
    if (record.affected.length === 0) counts.foreign += 1;
  };
  const coverage = await updated(path, async (update) => {
    for await (const one of unlessStopped(osvRecords(from), signal)) add(update, one);
    if (counts.stored + counts.older === 0)
      throw new AdvisoryError('no-records', `${from}: no advisory that can be read${first(problems)}`);
    const importedAt = new Date().toISOString();
    for (const [system, asOf] of newest) update.cover({ system, asOf, importedAt, source });
    update.reject({ source, records: counts.rejected, first: firstRejected });
  });
  return { ...counts, problems, coverage };
}

/** Changes the stored advisories, entirely or not at all. Returns what is stored then. Throws `AdvisoryError` (`busy`, `unwritable`). */
export async function updated(
  path: string,
  change: (update: AdvisoryUpdate) => Promise<void>,
): Promise<readonly Coverage[]> {
  try {
    const update = await updateAdvisories(path);
    try {
      await change(update);
      return update.complete();
    } finally {
      update.discard();
    }
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== 'ERR_SQLITE_ERROR') throw cause;
    throw new AdvisoryError('unwritable', `${path}: cannot be written: ${messageOf(cause)}`, { cause });
  }
}

/** The items, between which other work of the process runs. Throws the reason of the signal. */
async function* unlessStopped<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const yieldIfDue = createYielder();
  for await (const item of items) {
    await yieldIfDue();
    signal.throwIfAborted();
    yield item;
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
  // A time that has not come would hide what changes until then.
  const soon = Date.now() + MAX_AHEAD_MS;
  const known = [modified, published, newest.get(system) ?? EPOCH].filter((time) => Date.parse(time) <= soon);
  newest.set(
    system,
    known.reduce((one, other) => (Date.parse(one) < Date.parse(other) ? other : one), EPOCH),
  );
}

function first([problem]: readonly string[]): string {
  return problem === undefined ? '' : `: ${problem}`;
}

/** The result of the import of a bundle. */
export interface BundleImport {
  readonly createdAt: string;
  readonly verified: boolean;
  /** See `OsvImport`. */
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
  const counts = { stored: 0, older: 0 };
  const coverage = await updated(path, async (update) => {
    const last = update.fact('bundle');
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
    for await (const record of unlessStopped(records(), signal))
      counts[update.put(record) ? 'stored' : 'older'] += 1;
    for (const { records: _records, ...covered } of head.coverage) update.cover(covered);
    update.setFact('bundle', createdAt);
  });
  return { createdAt, verified: isVerified, ...counts, coverage };
}
