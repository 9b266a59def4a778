import { DEFAULTS } from './defaults.generated.ts';
import { isConfigured } from './is-configured.ts';
import type { LoadedConfig } from './load.ts';

type Config = LoadedConfig['config'];

/** The values of `LOCKHOUND_INSIGHTS_SOURCES` that are read without the schema. */
const SOURCES: ReadonlyMap<string, Config['insights']['sources']> = new Map([
  ['api', ['api']],
  ['osv', ['osv']],
  ['api,osv', ['api', 'osv']],
]);

/**
 * The configuration. Without a file, and with no variables but those of imported advisories, these are the defaults with what the variables
 * say, and neither the schema nor a YAML parser is loaded, which would take longer than most scans. Throws `ConfigError`, as `loadConfig`
 * does.
 */
export async function loadOrDefault(file: string | undefined): Promise<LoadedConfig> {
  const config = file === undefined ? plainConfig(process.env) : undefined;
  if (config !== undefined) return { config, secrets: { variables: new Map() }, file: undefined };
  const { loadConfig } = await import('./load.ts');
  return loadConfig({ file });
}

/** `undefined` where a file or another variable may say something. */
function plainConfig({
  LOCKHOUND_INSIGHTS_SOURCES: named = 'api',
  LOCKHOUND_DATA_FOLDER: folder,
  ...others
}: Readonly<Record<string, string | undefined>>): Config | undefined {
  const sources = SOURCES.get(named);
  if (sources === undefined || folder === '' || isConfigured(others)) return undefined;
  return {
    ...DEFAULTS,
    insights: { ...DEFAULTS.insights, sources },
    data: { ...DEFAULTS.data, ...(folder === undefined ? {} : { folder }) },
  };
}
