import { lstatSync } from 'node:fs';
import { readTextSync } from '../files/read-file.ts';
import { DEFAULTS } from './defaults.generated.ts';
import { DEFAULT_FILE, isConfigured } from './is-configured.ts';
import type { LoadedConfig } from './load.ts';

type Config = LoadedConfig['config'];

/** The texts of `insights.sources` that are read without the schema, without spaces around their items. */
const SOURCES: ReadonlyMap<string, Config['insights']['sources']> = new Map([
  ['api', ['api']],
  ['osv', ['osv']],
  ['api,osv', ['api', 'osv']],
]);

/** The sections of a file that are read without a YAML parser. */
const PLAIN_SOURCES = /^insights:(?: \{ sources: \[(.+)\] \}|\n +sources: \[(.+)\])$/;
const PLAIN_FOLDER = /^data:(?: \{ folder: (\S+) \}|\n +folder: (\S+))$/;
/** A text that YAML takes as it is. */
const PLAIN_PATH = /^(?:"([^"\\]+)"|(\.{0,2}\/[\w/.-]+))$/;
const MAX_PLAIN_BYTES = 4_096;

/**
 * The configuration. Where the file and the variables say nothing, or nothing but where imported advisories are and that they are a source,
 * these are the defaults with what they say: neither the schema nor a YAML parser is loaded, which takes a fifth of a scan of some hundred
 * packages (`npm run bench -- advisories`). Throws `ConfigError`, as `loadConfig` does.
 */
export async function loadOrDefault(file: string | undefined): Promise<LoadedConfig> {
  const plain = plainConfig(process.env, file);
  if (plain !== undefined) return plain;
  const { loadConfig } = await import('./load.ts');
  return loadConfig({ file });
}

/** `undefined` where the file or another variable may say something else. */
function plainConfig(
  {
    LOCKHOUND_INSIGHTS_SOURCES: named,
    LOCKHOUND_DATA_FOLDER: ownFolder,
    ...others
  }: Readonly<Record<string, string | undefined>>,
  file: string | undefined,
): LoadedConfig | undefined {
  if (ownFolder === '' || isConfigured(others)) return undefined;
  const written = plainFile(file);
  const sources = SOURCES.get(named ?? written?.sources ?? 'api');
  if (written === undefined || sources === undefined) return undefined;
  const folder = ownFolder ?? written.folder;
  const config = {
    ...DEFAULTS,
    insights: { ...DEFAULTS.insights, sources },
    data: { ...DEFAULTS.data, ...(folder === undefined ? {} : { folder }) },
  };
  return { config, secrets: { variables: new Map() }, file: written.file };
}

interface PlainFile {
  readonly file: string | undefined;
  readonly sources?: string | undefined;
  readonly folder?: string | undefined;
}

/** `undefined` for a file that says something else, and for one that cannot be read: `loadConfig` says why. */
function plainFile(named: string | undefined): PlainFile | undefined {
  const file = named ?? DEFAULT_FILE;
  try {
    if (named === undefined && lstatSync(file, { throwIfNoEntry: false }) === undefined)
      return { file: undefined };
    const settings = plainSettings(readTextSync(file, MAX_PLAIN_BYTES));
    return settings && { file, sources: settings.get('sources'), folder: settings.get('folder') };
  } catch {
    return undefined;
  }
}

function plainSettings(text: string): ReadonlyMap<string, string> | undefined {
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*(?:#|$)/.test(line));
  const sections = lines.length === 0 ? [] : lines.join('\n').split(/\n(?! )/);
  const settings = new Map(sections.map(plainSetting));
  // One that is written twice is refused.
  return settings.size < sections.length || settings.has('') ? undefined : settings;
}

/** The name is empty where the schema has to read it. */
function plainSetting(section: string): readonly [name: string, value: string] {
  const [, inFlow = '', sources = inFlow] = PLAIN_SOURCES.exec(section) ?? [];
  if (sources !== '')
    return [
      'sources',
      sources
        .split(',')
        .map((one) => one.trim())
        .join(),
    ];
  const [, flow = '', path = flow] = PLAIN_FOLDER.exec(section) ?? [];
  const [, quoted = '', folder = quoted] = PLAIN_PATH.exec(path) ?? [];
  return [folder === '' ? '' : 'folder', folder];
}
