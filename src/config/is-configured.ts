export const DEFAULT_FILE = 'lockhound.yaml';

/** Whether a variable may change a default. */
export function isConfigured(environment: Readonly<Record<string, string | undefined>>): boolean {
  const names = Object.keys(environment);
  return names.some((name) => name.startsWith('LOCKHOUND_') || name === 'REDIS_URL');
}
