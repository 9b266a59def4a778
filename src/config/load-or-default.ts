import { DEFAULTS } from './defaults.generated.ts';
import { isConfigured } from './is-configured.ts';
import type { LoadedConfig } from './load.ts';

/**
 * The configuration. Without a file and variables these are the defaults, and neither the schema nor a YAML parser is loaded,
 * which would take longer than most scans. Throws `ConfigError`, as `loadConfig` does.
 */
export async function loadOrDefault(file: string | undefined): Promise<LoadedConfig> {
  if (file === undefined && !isConfigured()) {
    return { config: DEFAULTS, secrets: { variables: new Map() }, file: undefined };
  }
  const { loadConfig } = await import('./load.ts');
  return loadConfig({ file });
}
