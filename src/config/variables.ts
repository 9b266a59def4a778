import { z } from 'zod';
import { unwrap } from './as-written.ts';
import { ConfigError } from './errors.ts';
import { configSchema } from './schema.ts';
import { serviceLinks } from './service-links.ts';

const PREFIX = 'LOCKHOUND_';

/** Variables that are not settings. */
const OTHERS: ReadonlySet<string> = new Set(['LOCKHOUND_CONFIG', 'LOCKHOUND_CORPORA', 'LOCKHOUND_TOKEN']);

export interface Setting {
  /** Path in the file, such as `insights.recordTtl`. */
  readonly path: readonly string[];
  /** Environment variable, such as `LOCKHOUND_INSIGHTS_RECORD_TTL`. */
  readonly variable: string;
  readonly description: string | undefined;
  /** Converts the text of a variable to the value that the file would contain. */
  readonly read: (text: string) => unknown;
}

/** Every setting that a `LOCKHOUND_*` variable can set, derived from the schema. */
export function settings(): readonly Setting[] {
  return walk(configSchema, []);
}

/**
 * The settings from the environment, nested as in the file, and the path of each with its variable. Variables that Kubernetes sets for
 * Services are ignored. Throws `ConfigError` (`config-invalid`) for an unknown `LOCKHOUND_*` variable.
 */
export function fromEnvironment(environment: Readonly<Record<string, string | undefined>>) {
  // Most environments name no setting, and walking over the schema takes longer than reading a small file.
  let known: ReadonlyMap<string, Setting> | undefined;
  const content: Record<string, unknown> = {};
  const variables = new Map<string, string>();
  const set = (variable: string, path: readonly string[], value: unknown): void => {
    assign(content, path, value);
    variables.set(path.join('.'), variable);
  };
  const redisUrl = environment['REDIS_URL'];
  if (redisUrl) set('REDIS_URL', ['redis', 'url'], redisUrl);
  const links = serviceLinks(environment);
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || OTHERS.has(name) || links.has(name) || text === undefined) continue;
    known ??= new Map(settings().map((setting) => [setting.variable, setting]));
    const setting = known.get(name);
    if (setting !== undefined) {
      set(name, setting.path, setting.read(text));
    } else if (!referencedByChoice(name)) {
      throw new ConfigError(
        'config-invalid',
        `environment variable ${name} is not a setting; \`lockhound config check --settings\` lists all settings`,
      );
    }
  }
  return { content, variables };
}

/** `LOCKHOUND_SECRET_…` is free for the variables to which secret references point. */
function referencedByChoice(name: string): boolean {
  return name.startsWith(`${PREFIX}SECRET_`);
}

function walk(schema: z.ZodType, path: readonly string[]): readonly Setting[] {
  const { inner } = unwrap(schema);
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([key, field]) => walk(field as z.ZodType, [...path, key]));
  }
  // Maps and lists of objects can only be set in the file.
  if (inner instanceof z.ZodRecord) return [];
  if (inner instanceof z.ZodArray && inner.element instanceof z.ZodObject) return [];
  const variable = PREFIX + path.map(upperSnake).join('_');
  const description = schema.description ?? inner.description;
  return [{ path, variable, description, read: reader(inner, variable) }];
}

function reader(schema: z.ZodType, variable: string): (text: string) => unknown {
  // For a secret the setting is a reference to the variable itself.
  if (schema.safeParse({ env: variable }).success) return () => ({ env: variable });
  if (schema instanceof z.ZodNumber) return (text) => (text.trim() === '' ? text : Number(text));
  if (schema instanceof z.ZodArray) {
    return (text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
  }
  return (text) => text;
}

function upperSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function assign(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let node = root;
  for (const key of path.slice(0, -1)) {
    node[key] ??= {};
    node = node[key] as Record<string, unknown>;
  }
  node[path.at(-1) ?? ''] = value;
}
