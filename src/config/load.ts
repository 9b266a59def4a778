import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { FileError } from '../files/errors.ts';
import { readTextSync } from '../files/read-file.ts';
import { messageOf } from '../model/errors.ts';
import { Secret } from '../model/secret.ts';
import { ConfigError } from './errors.ts';
import { type Config, configSchema } from './schema.ts';
import { resolveSecret } from './secret-reference.ts';
import { fromEnvironment } from './variables.ts';

/** The secrets that the configuration refers to. Each is read when it is used. */
export interface Secrets {
  readonly redisPassword?: Secret;
  readonly apiKey?: Secret;
  readonly applicationKey?: Secret;
  readonly signingSecret?: Secret;
  /** Values of secret custom variables by name. */
  readonly variables: ReadonlyMap<string, Secret>;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly secrets: Secrets;
  /** The file that was read, or `undefined` when there was none. */
  readonly file: string | undefined;
}

export interface LoadOptions {
  /** A file that must exist. Without it `LOCKHOUND_CONFIG`, then `lockhound.yaml` where there is one. */
  readonly file?: string;
  /** The process's own unless a test gives another. */
  readonly environment?: Environment;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** No configuration comes near it. */
const MAX_BYTES = 1_048_576;
const DEFAULT_FILE = 'lockhound.yaml';

/**
 * Reads `lockhound.yaml`, lays `REDIS_URL` and `LOCKHOUND_*` variables over it and validates the whole. The secrets that it
 * refers to are read later. Throws `ConfigError` with every fault and its path.
 */
export function loadConfig(options: LoadOptions = {}): LoadedConfig {
  const environment = options.environment ?? process.env;
  const named = options.file ?? environment['LOCKHOUND_CONFIG'];
  const { file, content } = readConfigFile(named);
  const merged = merge(content, fromEnvironment(environment));
  const parsed = configSchema.safeParse(merged);
  if (!parsed.success) throw invalid(parsed.error, file);
  const config = withSafeRedisUrl(parsed.data, environment);
  return { config, secrets: secretsOf(config, merged, environment), file };
}

function readConfigFile(named: string | undefined): { file: string | undefined; content: unknown } {
  const file = named ?? DEFAULT_FILE;
  let text: string;
  try {
    text = readTextSync(file, MAX_BYTES);
  } catch (error) {
    if (named === undefined && error instanceof FileError && error.code === 'not-found') {
      return { file: undefined, content: {} };
    }
    throw new ConfigError('config-unreadable', `configuration ${messageOf(error)}`, {
      cause: error,
    });
  }
  return { file, content: parseYaml(file, text) ?? {} };
}

/** Aliases may stand for no more than a hundred times as much as is written. */
function parseYaml(file: string, text: string): unknown {
  try {
    const document = parseDocument(text, { prettyErrors: true });
    const fault = document.errors[0];
    if (fault !== undefined) throw new ConfigError('config-syntax', `${file}: ${fault.message}`);
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError('config-syntax', `${file}: cannot be read as YAML: ${firstLine(error)}`, {
      cause: error,
    });
  }
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}

function merge(base: unknown, over: unknown): unknown {
  if (!isPlain(base) || !isPlain(over)) return over === undefined ? base : over;
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) result[key] = merge(result[key], value);
  // A reference is replaced whole: `{ file }` in the file and `{ env }` from a variable would be two.
  return 'env' in over ? over : result;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(error: z.ZodError, file: string | undefined): ConfigError {
  const faults = error.issues.map((issue) => `  ${issue.path.join('.') || '(root)'}: ${issue.message}`);
  const where = file === undefined ? 'configuration (environment variables only)' : file;
  return new ConfigError('config-invalid', [`${where} is not valid:`, ...faults].join('\n'));
}

/** A password in the URL would travel with every message that names the URL: it is kept apart. */
function withSafeRedisUrl(config: Config, environment: Environment): Config {
  const { url } = config.redis;
  if (url === undefined || !url.split(',').some((one) => new URL(one).password !== '')) return config;
  if (url !== environment['REDIS_URL'] && url !== environment['LOCKHOUND_REDIS_URL']) {
    throw new ConfigError(
      'config-invalid',
      'redis.url holds a password; take it out and name it by `redis.password: { env: NAME }`',
    );
  }
  const bare = url.split(',').map((one) => {
    const parsed = new URL(one);
    parsed.password = '';
    return parsed.href;
  });
  return { ...config, redis: { ...config.redis, url: bare.join(',') } };
}

function secretsOf(config: Config, merged: unknown, environment: Environment): Secrets {
  const { notify, redis } = config;
  const fromUrl = passwordOf((merged as { redis?: { url?: string } }).redis?.url);
  const password =
    redis.password === undefined ? fromUrl : resolveSecret(redis.password, 'redis.password', environment);
  const at = (path: string) => `notify.${path}`;
  const variables = new Map<string, Secret>();
  for (const [name, variable] of Object.entries(notify?.variables ?? {})) {
    if (!('secret' in variable)) continue;
    variables.set(name, resolveSecret(variable.secret, at(`variables.${name}.secret`), environment));
  }
  const platform = notify?.platform;
  return {
    variables,
    ...(password === undefined ? {} : { redisPassword: password }),
    ...(platform === undefined
      ? {}
      : {
          apiKey: resolveSecret(platform.apiKey, at('platform.apiKey'), environment),
          applicationKey: resolveSecret(platform.applicationKey, at('platform.applicationKey'), environment),
        }),
    ...(notify?.signingSecret === undefined
      ? {}
      : { signingSecret: resolveSecret(notify.signingSecret, at('signingSecret'), environment) }),
  };
}

function passwordOf(url: string | undefined): Secret | undefined {
  const first = url?.split(',')[0];
  const password = first === undefined ? '' : new URL(first).password;
  return password === '' ? undefined : new Secret(decodeURIComponent(password));
}
