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
