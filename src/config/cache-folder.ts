import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder for caches of this user, by the XDG Base Directory Specification; relative paths do not count. */
export function cacheFolder(): string {
  const environment = process.env;
  for (const name of ['XDG_CACHE_HOME', 'LOCALAPPDATA']) {
    const folder = environment[name];
    if (folder !== undefined && isAbsolute(folder)) return join(folder, 'lockhound');
  }
  return join(homedir(), '.cache', 'lockhound');
}
