import { printableUrl } from '../http/errors.ts';
import { type FeedPosition, feedPositionSchema, osvSystem } from '../model/advisories/osv-record.ts';
import { defined } from '../model/defined.ts';
import { messageOf } from '../model/errors.ts';
import { jsonValue } from '../model/json-object.ts';
import { type Coverage, importedFacts } from './database.ts';
import { AdvisoryError, type AdvisoryErrorCode } from './errors.ts';
import { firstPosition, laterPosition, readFeed } from './feed.ts';
import { updated } from './import-osv.ts';
import type { WholeRecord } from './osv-record.ts';
import type { RequestOptions } from './request.ts';

/** The result of an update. */
export interface OsvUpdate {
  readonly ecosystems: readonly UpdatedEcosystem[];
  /** The coverage of what is stored now. */
  readonly coverage: readonly Coverage[];
}

/** The result of an update for one ecosystem. */
export interface UpdatedEcosystem {
  readonly ecosystem: string;
  /** Records that were stored; `older`: that were not, because a newer one is stored. */
  readonly stored: number;
  readonly older: number;
  /** Listed records that cannot be read yet. Later updates request them again. */
  readonly rejected: number;
  /** The first records, and parts of them, that cannot be read. */
  readonly problems: readonly string[];
  /** RFC 3339: all changes before it are stored. */
  readonly until?: string;
  /** Why its list was not read to its end. What was read before is stored. */
  readonly fault?: string;
}

interface UpdateOptions extends RequestOptions {
  /** The database (`advisoriesPath`). */
  readonly path: string;
  /** The URL at which OSV publishes its lists; it is shown as the source of the advisories. */
  readonly url: string;
  readonly ecosystems: readonly string[];
}

const MAX_PROBLEMS = 20;
/** The errors that concern one list. */
const OF_LISTS: ReadonlySet<AdvisoryErrorCode> = new Set(['unavailable', 'too-large']);
/** Readings of one list, of up to 1,000 changes each, and those that are stored together. */
const MAX_READINGS = 200;
const READINGS_TOGETHER = 10;
const ENDLESS = 'its list is longer than what is read of it: import its advisories again';

/**
 * Adds what changed since the stored advisories were imported, by the list of changes of each ecosystem of which some are imported. Some
 * thousand changes are stored together with the position in the list, all or none: an update that is interrupted goes on from there. A list
 * that cannot be read leaves what is stored, and the other lists are read. Throws `AdvisoryError`, and the reason of the signal.
 */
export async function updateOsv(options: UpdateOptions): Promise<OsvUpdate> {
  const { coverage: before } = await importedFacts(options.path);
  const covered = new Set<string | undefined>(before.map(({ system }) => system));
  const ecosystems: UpdatedEcosystem[] = [];
  for (const ecosystem of options.ecosystems)
    if (covered.has(osvSystem(ecosystem))) ecosystems.push(await updateOne(ecosystem, options));
  return { ecosystems, coverage: (await importedFacts(options.path)).coverage };
}

async function updateOne(ecosystem: string, options: UpdateOptions): Promise<UpdatedEcosystem> {
  const counts = { stored: 0, older: 0, rejected: 0 };
  const problems: string[] = [];
  let [until, fault]: (string | undefined)[] = [];
  let isWhole = false;
  try {
    for (let readings = 0; !isWhole && readings < MAX_READINGS; readings += READINGS_TOGETHER) {
      const read = await readSome(ecosystem, await positionOf(ecosystem, options.path), options);
      const { position } = read;
      const { put, older } = await store(ecosystem, read, options);
      counts.stored += put;
      counts.older += older;
      counts.rejected = Object.keys(position.open).length;
      problems.push(...read.problems.slice(0, MAX_PROBLEMS - problems.length));
      ({ isWhole } = read);
      until = position.until;
      fault = read.fault;
      if (fault !== undefined) break;
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof AdvisoryError) || !OF_LISTS.has(error.code)) throw error;
    fault = messageOf(error);
  }
  return { ecosystem, ...counts, problems, ...defined({ until, fault }) };
}

interface ReadChanges {
  readonly position: FeedPosition;
  /** The records by id: a later reading may have a newer one. */
  readonly records: ReadonlyMap<string, WholeRecord>;
  readonly problems: readonly string[];
  /** Whether these are all changes. */
  readonly isWhole: boolean;
  /** Why a later reading failed. */
  readonly fault?: string;
}

/** Reads as many changes as are stored together. Throws `AdvisoryError` when the first reading fails. */
async function readSome(ecosystem: string, from: FeedPosition, options: UpdateOptions): Promise<ReadChanges> {
  const records = new Map<string, WholeRecord>();
  const problems: string[] = [];
  let position = from;
  for (let reading = 0; reading < READINGS_TOGETHER; reading += 1) {
    try {
      const read = await readFeed(options.url, ecosystem, position, { ...options, now: Date.now() });
      const isStuck = read.position.until === position.until && read.records.length === 0;
      position = read.position;
      for (const record of read.records) records.set(record.id, record);
      problems.push(...read.problems);
      if (!read.hasMore) return { position, records, problems, isWhole: true };
      if (isStuck) return { position, records, problems, isWhole: false, fault: ENDLESS };
    } catch (error) {
      options.signal.throwIfAborted();
      if (reading === 0 || !(error instanceof AdvisoryError)) throw error;
      return { position, records, problems, isWhole: false, fault: messageOf(error) };
    }
  }
  return { position, records, problems, isWhole: false };
}

async function store(ecosystem: string, { position, records }: ReadChanges, { path, url }: UpdateOptions) {
  let put = 0;
  await updated(path, async (update) => {
    for (const record of records.values()) if (update.put(record)) put += 1;
    update.setFact(factOf(ecosystem), JSON.stringify(position));
    const [first = '', ...others] = Object.keys(position.open);
    const rejected = first === '' ? 0 : others.length + 1;
    update.reject({ source: `${printableUrl(url)} (${ecosystem})`, records: rejected, first });
    const system = osvSystem(ecosystem);
    const importedAt = new Date().toISOString();
    if (system !== undefined)
      update.cover({ system, asOf: position.until, importedAt, source: printableUrl(url) });
  });
  return { put, older: records.size - put };
}

function factOf(ecosystem: string): string {
  return `feed ${ecosystem}`;
}

/** The position where the last update ended; that of the newest imported advisory when an import came after it, or nothing was updated yet. */
async function positionOf(ecosystem: string, path: string): Promise<FeedPosition> {
  const { coverage, fact } = await importedFacts(path, factOf(ecosystem));
  const first = firstPosition(coverage, ecosystem, Date.now());
  const stored = feedPositionSchema.safeParse(jsonValue(fact ?? ''));
  return laterPosition(stored.data as FeedPosition | undefined, first);
}
