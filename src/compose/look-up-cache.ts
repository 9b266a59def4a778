import { cacheFolder } from '../config/data-folder.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { HttpClient } from '../http/client.ts';
import { HttpError } from '../http/errors.ts';
import { type DiskCache, openDiskCache } from '../insights/disk-cache/disk-cache.ts';
import { isLoopback } from '../model/loopback.ts';

/** How a command caches its look-ups. */
export interface CacheOptions {
  /** Default: that of the user, except for a service on this machine. `false`: look-ups are not cached. */
  readonly folder?: string | false | undefined;
  /** With it, nothing is requested: the cache answers alone. */
  readonly offline?: boolean;
  /** Called when the cache cannot be written. */
  readonly onFault: (message: string) => void;
}

export interface LookUpCache {
  readonly cache: DiskCache;
  readonly folder: string;
}

/** The cache of look-ups on the disk; `undefined` when there is to be none. */
export function openLookUpCache(
  { config }: LoadedConfig,
  { folder: given, offline = false, onFault }: CacheOptions,
): LookUpCache | undefined {
  const { url } = config.insights;
  if (given === false || (given === undefined && !offline && isLoopback(URL.parse(url)?.hostname ?? '')))
    return undefined;
  const folder = given ?? cacheFolder();
  return { folder, cache: openDiskCache({ folder, service: url, offline, onFault }) };
}

/** A client that requests nothing. */
export function offlineClient(): HttpClient {
  return {
    send: async () => {
      throw new HttpError('offline', 'it is not in the cache, and nothing is requested offline');
    },
    close: async () => {},
  };
}
