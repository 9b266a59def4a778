import { lstatSync } from 'node:fs';

export const DEFAULT_FILE = 'lockhound.yaml';

/**
 * Whether a configuration file or variable may change a default. Commands that need few settings check this first,
 * because loading the schema takes longer than reading a small lockfile.
 */
export function isConfigured(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const names = Object.keys(environment);
  return names.some((name) => name.startsWith('LOCKHOUND_') || name === 'REDIS_URL') || hasDefaultFile();
}

function hasDefaultFile(): boolean {
  try {
    return lstatSync(DEFAULT_FILE, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It may exist: reading it reports the reason.
    return true;
  }
}
