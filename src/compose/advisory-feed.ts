import type { Logger } from 'pino';
import { importedCoverage } from '../advisories/database.ts';
import { AdvisoryError } from '../advisories/errors.ts';
import { firstPosition, laterPosition, readFeed } from '../advisories/feed.ts';
import { dataFolder } from '../config/data-folder.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { HttpClient } from '../http/client.ts';
import type { RefreshedFeed } from '../jobs/ports.ts';
import { listedSince } from '../jobs/refresh/refresh-fleet.ts';
import { exploitsDue } from '../jobs/refresh-exploits.ts';
import type { FeedPosition, OsvRecord } from '../model/advisories/osv-record.ts';
import type { Schedule } from '../workers/schedules.ts';
import type { Store, Stores } from './store.ts';

/** Whether lists of changed advisories are followed. */
export function isFollowing({ data, insights }: Pick<LoadedConfig['config'], 'data' | 'insights'>): boolean {
  return data.osv.url !== undefined && insights.sources.includes('osv');
}

/** Follows the lists of changed advisories (`data.osv.url`), for all shards. */
export function createAdvisoryFeed(
  { data, insights }: LoadedConfig['config'],
  { shards }: Pick<Stores, 'shards'>,
  { http, log }: { readonly http: HttpClient; readonly log: Pick<Logger, 'warn'> },
) {
  const { advisoryChanges } = shards[0] as Store;
  const { url, every, ecosystems } = data.osv;
  const schedules: readonly Schedule[] = isFollowing({ data, insights })
    ? [{ name: 'refresh-osv', everyMs: every, start: (due) => [exploitsDue('osv', due)] }]
    : [];
  const followOne = async (
    ecosystem: string,
    base: string,
    signal: AbortSignal,
  ): Promise<readonly OsvRecord[]> => {
    const now = Date.now();
    const first = async () =>
      firstPosition((await importedCoverage(dataFolder(data.folder))) ?? [], ecosystem, now);
    const before = (await advisoryChanges.position(ecosystem)) ?? (await first());
    const from = (position: FeedPosition) => readFeed(base, ecosystem, position, { http, signal, now });
    const {
      position,
      records: read,
      problems,
    } = await from(before).catch(async (error: unknown) => {
      if (!(error instanceof AdvisoryError) || error.code !== 'too-large') throw error;
      // Its advisories may have been imported again since.
      const later = laterPosition(before, await first());
      if (later === before) throw error;
      return await from(later);
    });
    for (const problem of problems) log.warn({ ecosystem }, `a changed advisory cannot be read: ${problem}`);
    // Packages that they no longer name are judged again, too.
    const former = await advisoryChanges.some(read.map(({ id }) => id));
    const times = new Map(former.map(({ id, modified }) => [id, Date.parse(modified)]));
    const records = read
      .filter(({ id, modified }) => Date.parse(modified) >= (times.get(id) ?? 0))
      // Texts are in the imported file alone.
      .map(({ said: _, ...record }) => record);
    // In this order: a worker that dies in between repeats what is before.
    await advisoryChanges.save(records);
    await advisoryChanges.list([...former, ...records], Date.now());
    await advisoryChanges.move(ecosystem, position);
    return records;
  };
  return {
    schedules,
    /** Reads what changed. An ecosystem whose list cannot be read is read by the next start. */
    async follow(signal: AbortSignal): Promise<RefreshedFeed | undefined> {
      if (url === undefined) return undefined;
      const changed: OsvRecord[] = [];
      // Together: a list that does not answer holds up no other.
      await Promise.all(
        ecosystems.map(async (ecosystem) => {
          try {
            changed.push(...(await followOne(ecosystem, url, signal)));
          } catch (error) {
            signal.throwIfAborted();
            if (!(error instanceof AdvisoryError)) throw error;
            log.warn({ ecosystem }, `changed advisories cannot be followed: ${error.message}`);
          }
        }),
      );
      const refreshed = await Promise.all(shards.map(({ fleet }) => fleet.lastRefresh('listed')));
      await advisoryChanges.forgetListed(Math.min(...refreshed.map(listedSince)));
      if (changed.length === 0) return undefined;
      const date = new Date().toISOString();
      return { date, entries: changed.length, rejected: 0, newlyListed: changed.length };
    },
  };
}
