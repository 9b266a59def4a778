import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type BundleHead, openBundle, readKey, writeBundle } from '../advisories/bundle.ts';
import { advisoriesPath, type Coverage, importedCoverage, openAdvisories } from '../advisories/database.ts';
import { AdvisoryError } from '../advisories/errors.ts';
import { type BundleImport, importBundle, importOsv, type OsvImport } from '../advisories/import-osv.ts';
import type { OsvUpdate } from '../advisories/update-osv.ts';
import { feedClient, storeFeed } from '../compose/exploits.ts';
import { openFleetStore } from '../compose/fleet-store.ts';
import { dataFolder } from '../config/data-folder.ts';
import type { LoadedConfig } from '../config/load.ts';
import { ExploitError } from '../exploits/errors.ts';
import { feedOf, requireProgress } from '../exploits/feed.ts';
import { readFolder, writeFolder } from '../exploits/folder.ts';
import { readFeedFile, readFeedUrl } from '../exploits/read-feed.ts';
import { printableUrl } from '../http/errors.ts';
import { closing } from '../model/closing.ts';
import { defined } from '../model/defined.ts';
import { messageOf } from '../model/errors.ts';
import type { Feed, FeedName } from '../model/exploits/exploit-data.ts';
import type { FeedHead } from '../model/exploits/feed-head.ts';
import { awaitedLater } from '../model/time-limit.ts';
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

/**
 * Adds what changed since the advisories in the data folder were imported, by the lists of `data.osv`. Throws `AdvisoryError`
 * (`not-configured` without `data.osv.url`).
 */
export async function updateAdvisoriesFrom(
  { config: { data } }: LoadedConfig,
  signal: AbortSignal,
): Promise<OsvUpdate> {
  const { url, ecosystems } = data.osv;
  if (url === undefined)
    throw new AdvisoryError(
      'not-configured',
      'data.osv.url is not set: where OSV publishes the lists of changed advisories',
    );
  const { updateOsv } = await import('../advisories/update-osv.ts');
  const path = advisoriesPath(dataFolder(data.folder));
  return await closing(feedClient([url], data.allowAddresses), (http) =>
    updateOsv({ path, url, ecosystems, http, signal }),
  );
}

/** The place where a list is stored. */
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
  const { data } = loaded.config;
  const read = isUrl(from)
    ? await closing(feedClient([from], data.allowAddresses), (http) =>
        readFeedUrl(name, from, { http, signal }),
      )
    : await readFeedFile(name, from);
  const source = isUrl(from) ? printableUrl(from) : from;
  const feed = feedOf(name, read, { source, importedAt: new Date().toISOString() });
  return { ...(await storeList(loaded, feed, force)), problems: read.problems };
}

/** Stores a list in the data folder, and in Redis when `redis.url` is set. */
async function storeList(
  loaded: LoadedConfig,
  feed: Feed,
  force: boolean,
): Promise<Omit<ImportedFeed, 'problems'>> {
  const { data, redis } = loaded.config;
  const { head } = feed;
  const folder = dataFolder(data.folder);
  if (!force) requireProgress(headOf(await readFolder(folder), head.feed), head);
  await writeFolder(folder, feed);
  if (redis.url === undefined) return { head, places: [folder], newlyListed: 0 };
  return await closing(openFleetStore(loaded), async ({ shards }) => {
    const before = (await firstShard({ shards }).exploits.heads()).find((one) => one.feed === head.feed);
    if (!force) requireProgress(before, head);
    const { newlyListed } = await storeFeed({ shards }, feed);
    return { head, places: [folder, redisPlace(loaded)], newlyListed };
  });
}

/**
 * Writes everything in the data folder to one file: the advisories, or those that changed since a time, and the lists about
 * exploitation. `sign`: a file with the private Ed25519 key. Throws `AdvisoryError`, `ExploitError` and `FileError`.
 */
export async function exportBundle(
  { config: { data } }: LoadedConfig,
  {
    to,
    since,
    sign,
  }: { readonly to: string; readonly since?: string | undefined; readonly sign?: string | undefined },
): Promise<BundleHead> {
  const folder = dataFolder(data.folder);
  const key = sign === undefined ? undefined : await readKey(sign, 'private');
  const lists = await readFolder(folder);
  return await closing(openAdvisories(advisoriesPath(folder)), (advisories) => {
    const records = advisories.records(since === undefined ? undefined : Date.parse(since));
    const createdAt = new Date().toISOString();
    return writeBundle(to, { coverage: advisories.coverage(), lists, records }, { createdAt, since, key });
  });
}

/**
 * Stores what a bundle carries. `verify`: a file with the public key that has to have signed it. A list that is older than the stored
 * one is left out. Throws `AdvisoryError` and `FileError`.
 */
export async function importFromBundle(
  loaded: LoadedConfig,
  { from, verify, signal }: Pick<ImportOptions, 'from' | 'signal'> & { readonly verify?: string | undefined },
): Promise<BundleImport & { readonly lists: readonly FeedHead[] }> {
  const bundle = await openBundle(from, verify === undefined ? undefined : await readKey(verify, 'public'));
  const lists = await bundle.lists();
  const imported = await importBundle(bundle, {
    path: advisoriesPath(dataFolder(loaded.config.data.folder)),
    signal,
  });
  const stored: FeedHead[] = [];
  for (const list of lists) {
    try {
      stored.push((await storeList(loaded, list, false)).head);
    } catch (error) {
      if (!(error instanceof ExploitError) || error.code !== 'older') throw error;
    }
  }
  return { ...imported, lists: stored };
}

/** The lists that are stored, by place. A place that cannot be read has a fault. */
export async function storedLists(loaded: LoadedConfig): Promise<readonly ListPlace[]> {
  const folder = dataFolder(loaded.config.data.folder);
  const inFolder = readFolder(folder).then((feeds) => feeds.map(({ head }) => head));
  const places = [await placeOf(folder, 'scan', inFolder, awaitedLater(importedCoverage(folder)))];
  if (loaded.config.redis.url === undefined) return places;
  return await closing(openFleetStore(loaded), async (fleet) => [
    ...places,
    await placeOf(redisPlace(loaded), 'workers', firstShard(fleet).exploits.heads()),
  ]);
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

function headOf(feeds: readonly { readonly head: FeedHead }[], name: FeedName): FeedHead | undefined {
  return feeds.find(({ head }) => head.feed === name)?.head;
}

function redisPlace({ config }: LoadedConfig): string {
  return `Redis, prefix ${config.redis.prefix}`;
}
