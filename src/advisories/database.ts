import {
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync as Database } from 'node:sqlite';
import type { Affected, AffectedPackage, OsvRecord } from '../model/advisories/osv-record.ts';
import { closing } from '../model/closing.ts';
import { defined } from '../model/defined.ts';
import { messageOf } from '../model/errors.ts';
import { SYSTEMS, type System } from '../model/lockfile/ecosystem.ts';
import { textIn, textWriter } from './advisory-text.ts';
import { AdvisoryError } from './errors.ts';
import type { WholeRecord } from './osv-record.ts';

/** The advisories of one system that are stored. */
export interface Coverage {
  readonly system: System;
  readonly records: number;
  /** RFC 3339: the time of the newest record. */
  readonly asOf: string;
  /** RFC 3339. */
  readonly importedAt: string;
  /** Path or URL without credentials. */
  readonly source: string;
}

/** Records of a source that the last import of it could not read. They are not stored. */
export interface Rejected {
  /** Path or URL without credentials. */
  readonly source: string;
  readonly records: number;
  /** The place of the first one, and why it could not be read. */
  readonly first: string;
}

/** New advisories appear each day: after this time imported ones are old. */
export const OLD_IMPORT_MS = 7 * 86_400_000;

/** An advisory about a package. */
export interface StoredAffected extends Affected {
  readonly id: string;
}

/** The stored parts of an advisory besides the versions that it affects. */
export interface StoredAdvisory extends Omit<OsvRecord, 'affected'> {
  /** The base score of its vector: to load the calculator takes longer than the rest of many scans. Absent where it was not computed. */
  readonly score?: number;
}

const FORMAT = 3;

const SCHEMA = `
  PRAGMA user_version = ${FORMAT};
  CREATE TABLE coverage (
    system TEXT PRIMARY KEY, records INTEGER, asOf TEXT, importedAt TEXT, source TEXT
  ) WITHOUT ROWID;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
  CREATE TABLE advisories (id TEXT PRIMARY KEY, modified TEXT, body TEXT) WITHOUT ROWID;
  CREATE TABLE affected (
    system TEXT, name TEXT, id TEXT, body TEXT, PRIMARY KEY (system, name, id)
  ) WITHOUT ROWID;
  CREATE INDEX affectedById ON affected (id);
  CREATE TABLE withdrawn (alias TEXT, id TEXT, PRIMARY KEY (alias, id)) WITHOUT ROWID;
  CREATE INDEX withdrawnById ON withdrawn (id);
`;

const COUNT_RECORDS = `
  UPDATE coverage
  SET records = (SELECT COUNT(DISTINCT id) FROM affected WHERE affected.system = coverage.system)
`;

/** The file of the advisories in the data folder. */
export function advisoriesPath(folder: string): string {
  return join(folder, 'advisories.sqlite');
}

/**
 * The stored advisories, which another process may replace but never changes. Throws `AdvisoryError` (`database-missing`,
 * `database-damaged`).
 */
export async function openAdvisories(path: string) {
  if (!isThere(path)) {
    throw new AdvisoryError(
      'database-missing',
      `${path}: no advisories are imported: \`lockhound data import osv <zip, folder, file or URL>\``,
    );
  }
  const { DatabaseSync } = await loadSqlite();
  const database = open(DatabaseSync, path);
  // To ask for many packages at once takes a quarter of the time.
  const ofPackages = database.prepare(
    'SELECT name, affected.id, body FROM json_each(?) CROSS JOIN affected ON system = ? AND name = value',
  );
  const ofId = database.prepare('SELECT modified, body FROM advisories WHERE id = ?');
  const all = database.prepare('SELECT modified, body FROM advisories');
  const ofAdvisory = database.prepare('SELECT system, name, body FROM affected WHERE id = ?');
  const ofAlias = database.prepare('SELECT id FROM withdrawn WHERE alias = ?');
  return {
    coverage: () => coverageOf(database),
    rejected: () => rejectedIn(database),
    /** See `AdvisoryUpdate`. */
    fact: (name: string) => factIn(database, name),
    /** The advisories about packages that are not withdrawn, by name. `names`: as `storedName` spells them, each once. */
    about(system: System, names: Iterable<string>): ReadonlyMap<string, readonly StoredAffected[]> {
      const found = new Map<string, StoredAffected[]>();
      for (const { name, id, body } of ofPackages.all(JSON.stringify([...names]), system)) {
        const one = { id: String(id), ...(JSON.parse(String(body)) as Affected) };
        const known = found.get(String(name));
        if (known === undefined) found.set(String(name), [one]);
        else known.push(one);
      }
      return found;
    },
    find(id: string): StoredAdvisory | undefined {
      const row = ofId.get(id);
      return (
        row && { ...(JSON.parse(String(row['body'])) as StoredAdvisory), modified: String(row['modified']) }
      );
    },
    /** The text of an advisory for people. */
    text: (id: string) => textIn(database, id),
    /** The ids of withdrawn advisories that have another id among their aliases. */
    withdrawnAs: (alias: string) => ofAlias.all(alias).map(({ id }) => String(id)),
    /** All advisories, or those that changed since a time in ms, withdrawn ones too. */
    *records(since = Number.NEGATIVE_INFINITY): Generator<OsvRecord> {
      for (const row of all.iterate()) {
        const modified = String(row['modified']);
        if (Date.parse(modified) < since) continue;
        const { score: _score, ...stored } = JSON.parse(String(row['body'])) as StoredAdvisory;
        const affected = ofAdvisory.all(stored.id).map(({ system, name, body }): AffectedPackage => {
          return { system: system as System, name: String(name), ...(JSON.parse(String(body)) as Affected) };
        });
        yield { ...stored, modified, affected };
      }
    },
    /** May be called again. */
    close(): void {
      if (database.isOpen) database.close();
    },
  };
}

/**
 * The coverage of the imported advisories of a data folder; `undefined` when none are imported. Throws `AdvisoryError`
 * (`database-damaged`).
 */
export async function importedCoverage(folder: string): Promise<readonly Coverage[] | undefined> {
  return (await importedState(folder))?.coverage;
}

/** The coverage of the imported advisories of a data folder, and what an import rejected. See `importedCoverage`. */
export async function importedState(folder: string) {
  const path = advisoriesPath(folder);
  return isThere(path) ? await importedFacts(path) : undefined;
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new AdvisoryError('database-damaged', `${path}: cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** The coverage of the stored advisories, and a value beside them (`AdvisoryUpdate.fact`). Throws `AdvisoryError`. */
export async function importedFacts(path: string, name = '') {
  return await closing(openAdvisories(path), ({ coverage, rejected, fact }) => {
    return { coverage: coverage(), rejected: rejected(), fact: fact(name) };
  });
}

export type Advisories = Awaited<ReturnType<typeof openAdvisories>>;

/** The stored advisories with records that changed since: those that are newer replace them. */
export function withChanges(advisories: Advisories, changed: readonly OsvRecord[]): Advisories {
  const newer = new Map<string, OsvRecord>();
  for (const record of changed) {
    const stored = advisories.find(record.id);
    if (stored === undefined || Date.parse(stored.modified) < Date.parse(record.modified))
      newer.set(record.id, record);
  }
  if (newer.size === 0) return advisories;
  const entries = Array.from(newer.values(), ({ id, withdrawn, affected }) =>
    withdrawn === undefined ? byPackage(affected).map((own) => ({ id, ...own })) : [],
  ).flat();
  const withdrawn = [...newer.values()].filter((one) => one.withdrawn !== undefined);
  const about = Map.groupBy(entries, ({ system, name }) => `${system} ${name}`);
  return {
    ...advisories,
    about(system, given) {
      const names = [...given];
      const stored = advisories.about(system, names);
      return new Map(
        names.map((name) => {
          const kept = stored.get(name)?.filter(({ id }) => !newer.has(id)) ?? [];
          return [name, [...kept, ...(about.get(`${system} ${name}`) ?? [])]];
        }),
      );
    },
    find: (id) => newer.get(id) ?? advisories.find(id),
    withdrawnAs: (alias) => [
      ...advisories.withdrawnAs(alias).filter((id) => !newer.has(id)),
      ...withdrawn.filter(({ aliases }) => aliases.includes(alias)).map(({ id }) => id),
    ],
  };
}

/** A change of the stored advisories, which is visible to others when it is completed. */
export interface AdvisoryUpdate {
  /** Stores a record, unless a newer one is stored. Returns whether it was stored. */
  put(record: WholeRecord): boolean;
  /** Records that all advisories of a system are known. */
  cover(coverage: Omit<Coverage, 'records'>): void;
  /** A value that is kept beside the advisories: when the last bundle was created (`bundle`, RFC 3339), or a position in a list. */
  fact(name: string): string | undefined;
  setFact(name: string, value: string): void;
  /** Records what an import of a source could not read, in place of what the one before could not. */
  reject(rejected: Rejected): void;
  /** Replaces the file. Returns what it covers. */
  complete(): readonly Coverage[];
  /** Removes what is not completed. May be called after `complete`. */
  discard(): void;
}

/**
 * Changes a copy of the stored advisories, which replaces them at the end: a crash leaves the former file. Throws `AdvisoryError` (`busy`
 * while another process does so, `database-damaged`).
 */
export async function updateAdvisories(path: string): Promise<AdvisoryUpdate> {
  const [{ DatabaseSync }, scoreOf] = [await loadSqlite(), await scorer()];
  mkdirSync(dirname(path), { recursive: true });
  const lock = lockedBy(DatabaseSync, `${path}.lock`);
  const copy = `${path}.new`;
  try {
    rmSync(copy, { force: true });
    const isNew = !copied(path, copy);
    const database = isNew ? new DatabaseSync(copy) : open(DatabaseSync, copy, false);
    // The copy is thrown away after a crash.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;');
    if (isNew) database.exec(SCHEMA);
    database.exec('BEGIN');
    return updateOf(database, { path, copy, lock, scoreOf });
  } catch (error) {
    lock.close();
    throw error;
  }
}

function updateOf(
  database: Database,
  {
    path,
    copy,
    lock,
    scoreOf,
  }: {
    readonly path: string;
    readonly copy: string;
    readonly lock: Database;
    readonly scoreOf: (vector?: string) => number | undefined;
  },
): AdvisoryUpdate {
  const known = database.prepare('SELECT modified FROM advisories WHERE id = ?');
  const put = database.prepare('INSERT OR REPLACE INTO advisories VALUES (?, ?, ?)');
  const forget = database.prepare('DELETE FROM affected WHERE id = ?');
  const alsoNamed = database.prepare('INSERT OR REPLACE INTO withdrawn VALUES (?, ?)');
  const unname = database.prepare('DELETE FROM withdrawn WHERE id = ?');
  const affect = database.prepare('INSERT OR REPLACE INTO affected VALUES (?, ?, ?, ?)');
  const putText = textWriter(database);
  const cover = database.prepare('INSERT OR REPLACE INTO coverage VALUES (?, 0, ?, ?, ?)');
  return {
    put({ modified, affected, said, ...advisory }) {
      const before = known.get(advisory.id)?.['modified'];
      if (before !== undefined && Date.parse(String(before)) > Date.parse(modified)) return false;
      const score = scoreOf(advisory.vector);
      put.run(advisory.id, modified, JSON.stringify({ ...advisory, ...defined({ score }) }));
      // A bundle has no texts: what is stored of the same record stays.
      if (said !== undefined || before !== modified) putText(advisory.id, said);
      if (before !== undefined) {
        forget.run(advisory.id);
        unname.run(advisory.id);
      }
      if (advisory.withdrawn !== undefined) {
        for (const alias of advisory.aliases) alsoNamed.run(alias, advisory.id);
        return true;
      }
      for (const { system, name, ...body } of byPackage(affected))
        affect.run(system, name, advisory.id, JSON.stringify(body));
      return true;
    },
    cover({ system, asOf, importedAt, source }) {
      const before = coverageOf(database).find((one) => one.system === system)?.asOf ?? asOf;
      cover.run(system, Date.parse(before) > Date.parse(asOf) ? before : asOf, importedAt, source);
    },
    fact: (name) => factIn(database, name),
    setFact: (name, value) => setFactIn(database, name, value),
    reject: (rejected) => setFactIn(database, `${REJECTED}${rejected.source}`, JSON.stringify(rejected)),
    complete() {
      database.exec(COUNT_RECORDS);
      const coverage = coverageOf(database);
      database.exec('COMMIT');
      database.close();
      flush(copy);
      renameSync(copy, path);
      lock.close();
      return coverage;
    },
    discard() {
      if (database.isOpen) database.close();
      rmSync(copy, { force: true });
      if (lock.isOpen) lock.close();
    },
  };
}

/** More different vectors are rare: a hundred advisories share one. */
const MAX_VECTORS = 10_000;

/** Returns a function that computes base scores; `undefined` for a text that is no CVSS vector. Only imports load the calculator. */
async function scorer() {
  const { cvssBaseScore } = await import('../model/advisories/cvss.ts');
  const known = new Map<string, number | undefined>();
  return (vector = ''): number | undefined => {
    if (known.has(vector)) return known.get(vector);
    if (known.size >= MAX_VECTORS) known.clear();
    const score = cvssBaseScore(vector);
    known.set(vector, score);
    return score;
  };
}

function factIn(database: Database, name: string): string | undefined {
  const stored = database.prepare('SELECT value FROM facts WHERE name = ?').get(name)?.['value'];
  return stored === undefined ? undefined : String(stored);
}

function setFactIn(database: Database, name: string, value: string): void {
  database.prepare('INSERT OR REPLACE INTO facts VALUES (?, ?)').run(name, value);
}

const REJECTED = 'rejected ';

function rejectedIn(database: Database): readonly Rejected[] {
  const rows = database
    .prepare('SELECT value FROM facts WHERE name > ? AND name < ?')
    .all(REJECTED, 'rejected!');
  return rows.map(({ value }) => JSON.parse(String(value)) as Rejected).filter(({ records }) => records > 0);
}

/** One entry a package: records may have several. */
function byPackage(affected: OsvRecord['affected']): readonly AffectedPackage[] {
  const ofPackage = Map.groupBy(affected, ({ system, name }) => `${system} ${name}`);
  return Array.from(ofPackage.values(), (entries) => ({
    ...(entries[0] as AffectedPackage),
    versions: [...new Set(entries.flatMap(({ versions }) => versions))],
    ranges: entries.flatMap(({ ranges }) => ranges),
    ...(entries.some(({ unread }) => unread) ? { unread: true } : {}),
  }));
}

function coverageOf(database: Database): readonly Coverage[] {
  const rows = database.prepare('SELECT * FROM coverage').all();
  return rows.flatMap(({ system: stored, records, asOf, importedAt, source }) => {
    const system = SYSTEMS.find((one) => one === stored);
    if (system === undefined) return [];
    return {
      system,
      records: Number(records),
      asOf: String(asOf),
      importedAt: String(importedAt),
      source: String(source),
    };
  });
}

type Sqlite = typeof import('node:sqlite');

/** Node warns that the module is a candidate for release; its interface is the same in every supported version. */
async function loadSqlite(): Promise<Sqlite> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await import('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function open(DatabaseSync: Sqlite['DatabaseSync'], path: string, readOnly = true): Database {
  try {
    const database = new DatabaseSync(path, { readOnly });
    const format = database.prepare('PRAGMA user_version').get()?.['user_version'];
    if (format === FORMAT) return database;
    database.close();
    throw new Error(`its format is ${format}, and this release reads ${FORMAT}`);
  } catch (cause) {
    const advice = 'remove it and import the advisories again: `lockhound data import osv`';
    throw new AdvisoryError('database-damaged', `${path}: cannot be read (${messageOf(cause)}): ${advice}`, {
      cause,
    });
  }
}

/** Result codes: https://sqlite.org/rescode.html. */
const BUSY = 5;

/** Held until it is closed, and at the latest until this process ends. */
function lockedBy(DatabaseSync: Sqlite['DatabaseSync'], path: string): Database {
  const lock = new DatabaseSync(path);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    if ((cause as { readonly errcode?: unknown }).errcode !== BUSY) throw cause;
    throw new AdvisoryError('busy', `${path}: another process imports advisories`, { cause });
  }
}

/** The content is on the disk before the name leads to it. */
function flush(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function copied(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
