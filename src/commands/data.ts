import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { advisoriesPath, type Coverage, importedCoverage } from '../advisories/database.ts';
import { importOsv, type OsvImport } from '../advisories/import-osv.ts';
import { feedClient, storeFeed } from '../compose/exploits.ts';
import { openFleetStore } from '../compose/fleet-store.ts';
import { dataFolder } from '../config/data-folder.ts';
import type { LoadedConfig } from '../config/load.ts';
import { feedOf, requireProgress } from '../exploits/feed.ts';
import { readFolder, writeFolder } from '../exploits/folder.ts';
import { readFeedFile, readFeedUrl } from '../exploits/read-feed.ts';
import { printableUrl } from '../http/errors.ts';
import { defined } from '../model/defined.ts';
import { messageOf } from '../model/errors.ts';
import type { FeedName } from '../model/exploits/exploit-data.ts';
import type { FeedHead } from '../model/exploits/feed-head.ts';
import { firstShard } from '../operations/context.ts';

export interface ImportOptions {
  readonly feed: FeedName;
  /** A file, or an http or https URL. */
  readonly from: string;
  /** Replaces a newer or larger list. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/**
 * Adds the advisories of a source in the OSV format to those in the data folder: a ZIP file, folder or file, or the http or https URL of
 * one. Throws `AdvisoryError` and `FileError`.
 */
export async function importAdvisories(
  { config: { data } }: LoadedConfig,
  { from, signal }: Pick<ImportOptions, 'from' | 'signal'>,
): Promise<OsvImport> {
  const path = advisoriesPath(dataFolder(data.folder));
  if (!isUrl(from)) return await importOsv({ path, from: resolve(from), signal });
  const { download } = await import('../advisories/download.ts');
  const http = feedClient([from], data.allowAddresses);
  const folder = await mkdtemp(join(tmpdir(), 'lockhound-osv-'));
  try {
    // The name says how the content is read.
    const file = join(folder, basename(new URL(from).pathname) || 'source.json');
    await download(from, file, { http, signal });
    return await importOsv({ path, from: file, source: printableUrl(from), signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
    await http.close();
  }
}

/** Where a list is stored. */
export interface ListPlace {
  /** A folder, or `Redis` with its prefix. */
  readonly place: string;
  /** For whom. */
  readonly use: 'scan' | 'workers';
  readonly lists: readonly FeedHead[];
  /** The imported advisories by system. */
  readonly advisories?: readonly Coverage[];
  /** Why it cannot be read. */
  readonly fault?: string;
}

export interface ImportedFeed {
  readonly head: FeedHead;
  /** The first malformed entries. */
  readonly problems: readonly string[];
  readonly places: readonly string[];
  /** Advisories that the catalogue lists now and did not list before, in Redis. */
  readonly newlyListed: number;
}

/**
 * Reads a list and stores it in the data folder, and in Redis when `redis.url` is set. Throws `ExploitError`, `FileError`, and
 * `StoreError` when Redis does not answer; then the folder has the list already.
 */
export async function importFeed(
  loaded: LoadedConfig,
  { feed: name, from, force, signal }: ImportOptions,
): Promise<ImportedFeed> {
  const { data, redis } = loaded.config;
  const read = isUrl(from)
    ? await readUrl(name, from, data.allowAddresses, signal)
    : await readFeedFile(name, from);
  const source = isUrl(from) ? printableUrl(from) : from;
  const feed = feedOf(name, read, { source, importedAt: new Date().toISOString() });
  const folder = dataFolder(data.folder);
  if (!force) requireProgress(headOf(await readFolder(folder), name), feed.head);
  await writeFolder(folder, feed);
  const { problems } = read;
  if (redis.url === undefined) return { head: feed.head, problems, places: [folder], newlyListed: 0 };
  const { shards, close } = await openFleetStore(loaded);
  try {
    const before = (await firstShard({ shards }).exploits.heads()).find((head) => head.feed === name);
    if (!force) requireProgress(before, feed.head);
    const { newlyListed } = await storeFeed({ shards }, feed);
    return { head: feed.head, problems, places: [folder, redisPlace(loaded)], newlyListed };
  } finally {
    await close();
  }
}

/** The lists that are stored, by place. A place that cannot be read has a fault. */
export async function storedLists(loaded: LoadedConfig): Promise<readonly ListPlace[]> {
  const folder = dataFolder(loaded.config.data.folder);
  const inFolder = readFolder(folder).then((feeds) => feeds.map(({ head }) => head));
  const places = [await placeOf(folder, 'scan', inFolder, importedCoverage(folder))];
  if (loaded.config.redis.url === undefined) return places;
  const fleet = await openFleetStore(loaded);
  try {
    return [...places, await placeOf(redisPlace(loaded), 'workers', firstShard(fleet).exploits.heads())];
  } finally {
    await fleet.close();
  }
}

function isUrl(from: string): boolean {
  return /^https?:\/\//i.test(from);
}

async function placeOf(
  place: string,
  use: ListPlace['use'],
  reading: Promise<readonly FeedHead[]>,
  coverage?: Promise<readonly Coverage[] | undefined>,
): Promise<ListPlace> {
  try {
    return { place, use, lists: await reading, ...defined({ advisories: await coverage }) };
  } catch (error) {
    return { place, use, lists: [], fault: messageOf(error) };
  }
}

async function readUrl(feed: FeedName, url: string, allowed: readonly string[], signal: AbortSignal) {
  const http = feedClient([url], allowed);
  try {
    return await readFeedUrl(feed, url, { http, signal });
  } finally {
    await http.close();
  }
}

function headOf(feeds: readonly { readonly head: FeedHead }[], name: FeedName): FeedHead | undefined {
  return feeds.find(({ head }) => head.feed === name)?.head;
}

function redisPlace({ config }: LoadedConfig): string {
  return `Redis, prefix ${config.redis.prefix}`;
}
