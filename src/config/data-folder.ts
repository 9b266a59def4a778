import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder of imported lists: the configured one, otherwise that of the XDG base directories. */
export function dataFolder(
  configured: string | undefined,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  if (configured !== undefined) return configured;
  // A relative path in the variable is to be ignored (XDG Base Directory Specification).
  const base = environment['XDG_DATA_HOME'] ?? '';
  return join(isAbsolute(base) ? base : join(homedir(), '.local', 'share'), 'lockhound');
}

/** The folder for caches of this user, by the XDG Base Directory Specification; relative paths do not count. */
export function cacheFolder(): string {
  const environment = process.env;
  for (const name of ['XDG_CACHE_HOME', 'LOCALAPPDATA']) {
    const folder = environment[name];
    if (folder !== undefined && isAbsolute(folder)) return join(folder, 'lockhound');
  }
  return join(homedir(), '.cache', 'lockhound');
}
