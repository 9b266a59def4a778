import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { FileError } from '../files/errors.ts';
import { readTextSync } from '../files/read-file.ts';
import { messageOf } from '../model/errors.ts';
import { isObject } from '../model/json-object.ts';
import { nearestNames } from '../model/nearest.ts';
import { redisUrlList } from '../model/queue/redis-urls.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import { Secret } from '../model/secret.ts';
import { asWritten } from './as-written.ts';
import { ConfigError } from './errors.ts';
import { DEFAULT_FILE } from './is-configured.ts';
import { type Config, configSchema, keysAt } from './schema.ts';
import { resolveSecret, type SecretReference } from './secret-reference.ts';
import { type NotAppliedIn, readVexDocuments } from './sections/vex.ts';
import { serviceLinks } from './service-links.ts';
import { fromEnvironment } from './variables.ts';

/** The secrets that the configuration refers to. Each is read on first use. */
export interface Secrets {
  readonly redisPassword?: Secret | undefined;
  readonly sentinelPassword?: Secret | undefined;
  readonly tracesAuthorization?: Secret | undefined;
  readonly apiKey?: Secret | undefined;
  readonly applicationKey?: Secret | undefined;
  readonly signingSecret?: Secret | undefined;
  /** Secrets of `serve.triggers` by name. */
  readonly triggers?: ReadonlyMap<string, Secret> | undefined;
  /** Signs page tokens of the API. */
  readonly serveKey?: Secret | undefined;
  readonly ledgerAccessKeyId?: Secret | undefined;
  readonly ledgerSecretAccessKey?: Secret | undefined;
  readonly ledgerSessionToken?: Secret | undefined;
  /** Secret custom variables by name. */
  readonly variables: ReadonlyMap<string, Secret>;
  /** Secrets of `credentials` by name. */
  readonly credentials?: ReadonlyMap<string, Secret> | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly secrets: Secrets;
  /** The file that was read; `undefined` when there was none. */
  readonly file: string | undefined;
  /** The suppressions from the VEX documents of the configuration. */
  readonly vex?: readonly Suppression[];
  /** Their statements that suppress nothing although they say that something is not affected. */
  readonly vexNotApplied?: readonly NotAppliedIn[];
  /** Names of variables that Kubernetes set for Services, and that were ignored. */
  readonly serviceLinks?: readonly string[];
}

export interface LoadOptions {
  /** A file that must exist. Default: `LOCKHOUND_CONFIG`, then `lockhound.yaml` when it exists. */
  readonly file?: string | undefined;
  /** Default: the environment of the process. */
  readonly environment?: Environment;
}

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_BYTES = 1_048_576;
/** Compiling a parser for a schema pays off when it parses more than once. */
const PARSE_ONCE = { jitless: true };

/**
 * Reads `lockhound.yaml`, overrides it with `REDIS_URL` and `LOCKHOUND_*` variables and validates the result. Secrets are
 * read later, on first use. Throws `ConfigError` with every fault and its path.
 */
export function loadConfig(options: LoadOptions = {}): LoadedConfig {
  const { environment, file, written, places } = readSettings(options);
  const parsed = configSchema.safeParse(written, PARSE_ONCE);
  if (!parsed.success) throw invalid(parsed.error, places);
  const config = withSentinelUrls(withSafeRedisUrl(parsed.data, environment));
  const { suppressions: vex, notApplied: vexNotApplied } = readVexDocuments(config.vex);
  const secrets = secretsOf(config, written, environment);
  const links = [...serviceLinks(environment)];
  return {
    config,
    secrets,
    file,
    ...(vex.length === 0 ? {} : { vex }),
    ...(vexNotApplied.length === 0 ? {} : { vexNotApplied }),
    ...(links.length === 0 ? {} : { serviceLinks: links }),
  };
}

/** The configuration in effect with durations as text: as written in the file or the environment, or as the default. */
export function configAsWritten(options: LoadOptions = {}): unknown {
  const { written } = readSettings(options);
  const { config } = loadConfig(options);
  const { url, ...redis } = config.redis;
  // The URLs of Sentinels were not written.
  const shown = redis.sentinels === undefined ? config : { ...config, redis };
  return asWritten(configSchema, shown, written);
}

function readSettings(options: LoadOptions) {
  const environment: Environment = options.environment ?? process.env;
  const { file, text, content } = readConfigFile(options.file ?? environment['LOCKHOUND_CONFIG']);
  const { content: over, variables } = fromEnvironment(environment);
  return { environment, file, written: merge(content, over), places: { file, text, variables } };
}

/** All secrets by name. */
export function namedSecrets({
  variables,
  credentials,
  triggers,
  ...others
}: Secrets): ReadonlyMap<string, Secret> {
  const named = new Map<string, Secret>();
  for (const [name, secret] of Object.entries(others)) if (secret !== undefined) named.set(name, secret);
  const own = [...(credentials ?? [])].map(([name, secret]) => [`credentials.${name}`, secret] as const);
  const hooks = [...(triggers ?? [])].map(([name, secret]) => [`serve.triggers.${name}`, secret] as const);
  return new Map([...named, ...variables, ...own, ...hooks]);
}

/** Why secrets cannot be read, each with its path. */
export function missingSecrets(secrets: Secrets): readonly string[] {
  return [...namedSecrets(secrets).values()].flatMap((secret) => {
    try {
      secret.reveal();
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  });
}

/** The sources of the settings. */
interface Places {
  readonly file: string | undefined;
  readonly text: string;
  /** The variables of the environment by the paths of their settings. */
  readonly variables: ReadonlyMap<string, string>;
}

function readConfigFile(named: string | undefined) {
  const file = named ?? DEFAULT_FILE;
  let text: string;
  try {
    text = readTextSync(file, MAX_BYTES);
  } catch (error) {
    if (named === undefined && error instanceof FileError && error.code === 'not-found') {
      return { file: undefined, text: '', content: {} };
    }
    throw new ConfigError('config-unreadable', `configuration ${messageOf(error)}`, { cause: error });
  }
  return { file, text, content: parseYaml(file, text) ?? {} };
}

/** Limits YAML aliases to a hundred, against files that expand exponentially. Throws `ConfigError` (`config-syntax`). */
export function parseYaml(file: string, text: string): unknown {
  try {
    const document = parseDocument(text, { prettyErrors: true });
    const fault = document.errors[0];
    if (fault !== undefined) throw new ConfigError('config-syntax', `${file}: ${fault.message}`);
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      'config-syntax',
      `${file}: cannot be read as YAML: ${messageOf(error).split('\n')[0]}`,
      {
        cause: error,
      },
    );
  }
}

/** Settings of the environment replace those of the file. Where the file has no section at a section's place, the schema refuses the file. */
function merge(base: unknown, over: unknown): unknown {
  if (over === undefined || (isObject(over) && base !== undefined && !isObject(base))) return base;
  if (!isObject(base) || !isObject(over)) return over;
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) result[key] = merge(result[key], value);
  // A reference to a secret is replaced as a whole: merged, it would hold both `file` and `env`.
  return 'env' in over ? over : result;
}

function invalid(error: z.ZodError, places: Places): ConfigError {
  const faults = error.issues.map((issue) => {
    const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const place = placeOf(unknown === undefined ? issue.path : [...issue.path, unknown], places);
    return `  ${place}${issue.path.join('.') || '(root)'}: ${issue.message}${suggestion(issue)}`;
  });
  const where = places.file ?? 'configuration (environment variables only)';
  return new ConfigError('config-invalid', [`${where} is not valid:`, ...faults].join('\n'));
}

/** `lockhound.yaml:3: `, or the variables that set the value or a part of it. */
function placeOf(path: readonly PropertyKey[], { file, text, variables }: Places): string {
  const at = path.join('.');
  const [own] = [...variables].filter(([set]) => at === set || at.startsWith(`${set}.`));
  if (own !== undefined) return `${own[1]}: `;
  const parts = [...variables].flatMap(([set, name]) => (set.startsWith(`${at}.`) ? [name] : []));
  const line = file === undefined ? undefined : lineOf(text, path);
  const all = [...(line === undefined ? [] : [`${file}:${line}`]), ...parts];
  return all.length === 0 ? '' : `${all.join(', ')}: `;
}

/** The line of a setting; that of the nearest section around one that the file lacks. */
function lineOf(text: string, path: readonly PropertyKey[]): number | undefined {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node)
      ? node.items.find(({ key: own }) => isScalar(own) && String(own.value) === String(key))
      : undefined;
    const item = isSeq(node) ? node.items[Number(key)] : pair?.key;
    if (!isNode(item)) break;
    offset = item.range?.[0];
    node = pair === undefined ? item : pair.value;
  }
  return offset === undefined ? undefined : lineCounter.linePos(offset).line;
}

/** A known key that resembles an unknown one. */
function suggestion(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return '';
  const known = keysAt(issue.path);
  const names = issue.keys.flatMap((key) => nearestNames(key, known, 1));
  return names.length === 0 ? '' : ` (did you mean ${names.map((name) => `"${name}"`).join(', ')}?)`;
}

/** Removes the password from the URL, so that messages with the URL do not contain it. */
function withSafeRedisUrl(config: Config, environment: Environment): Config {
  const { url } = config.redis;
  if (url === undefined || !redisUrlList(url).some((one) => new URL(one).password !== '')) return config;
  if (url !== environment['REDIS_URL'] && url !== environment['LOCKHOUND_REDIS_URL']) {
    throw new ConfigError(
      'config-invalid',
      'redis.url contains a password; remove it and refer to it with `redis.password: { env: NAME }`',
    );
  }
  const bare = redisUrlList(url).map((one) => {
    const parsed = new URL(one);
    parsed.password = '';
    return parsed.href;
  });
  return { ...config, redis: { ...config.redis, url: bare.join(',') } };
}

/** Sentinels in the form of URLs, in which all parts of the program use them. They hold no secret. */
function withSentinelUrls(config: Config): Config {
  const { sentinels, master, username } = config.redis;
  if (sentinels === undefined || master === undefined) return config;
  const user = username === undefined ? '' : `${encodeURIComponent(username)}@`;
  const urls = sentinels.map((sentinel) => {
    const secure = sentinel.startsWith('rediss://') ? 'rediss' : 'redis';
    return `${secure}+sentinel://${user}${sentinel.replace(/^rediss?:\/\//, '')}/${master}`;
  });
  return { ...config, redis: { ...config.redis, url: urls.join(',') } };
}

function secretsOf(config: Config, merged: unknown, environment: Environment): Secrets {
  const { notify, redis } = config;
  const s3 = config.ledger.storage?.s3;
  const resolve = (reference: SecretReference | undefined, path: string): Secret | undefined =>
    reference === undefined ? undefined : resolveSecret(reference, path, environment);
  const variables = new Map<string, Secret>();
  for (const [name, variable] of Object.entries(notify?.variables ?? {})) {
    if (!('secret' in variable)) continue;
    variables.set(name, resolveSecret(variable.secret, `notify.variables.${name}.secret`, environment));
  }
  const credentials = new Map(
    Object.entries(config.credentials).map(([name, { secret }]) => [
      name,
      resolveSecret(secret, `credentials.${name}.secret`, environment),
    ]),
  );
  return {
    variables,
    ...(credentials.size === 0 ? {} : { credentials }),
    redisPassword:
      resolve(redis.password, 'redis.password') ??
      passwordOf((merged as { redis?: { url?: string } }).redis?.url),
    tracesAuthorization: resolve(config.traces.authorization, 'traces.authorization'),
    sentinelPassword: resolve(redis.sentinelPassword, 'redis.sentinelPassword'),
    apiKey: resolve(notify?.platform?.apiKey, 'notify.platform.apiKey'),
    applicationKey: resolve(notify?.platform?.applicationKey, 'notify.platform.applicationKey'),
    signingSecret: resolve(notify?.signingSecret, 'notify.signingSecret'),
    serveKey: resolve(config.serve.key, 'serve.key'),
    ledgerAccessKeyId: resolve(s3?.accessKeyId, 'ledger.storage.s3.accessKeyId'),
    ledgerSecretAccessKey: resolve(s3?.secretAccessKey, 'ledger.storage.s3.secretAccessKey'),
    ledgerSessionToken: resolve(s3?.sessionToken, 'ledger.storage.s3.sessionToken'),
    ...(config.serve.triggers.length === 0
      ? {}
      : {
          triggers: new Map(
            config.serve.triggers.map(({ name, secret }) => [
              name,
              resolveSecret(secret, `serve.triggers.${name}.secret`, environment),
            ]),
          ),
        }),
  };
}

function passwordOf(url: string | undefined): Secret | undefined {
  const first = url === undefined ? undefined : redisUrlList(url)[0];
  const password = first === undefined ? '' : new URL(first).password;
  return password === '' ? undefined : new Secret(decodeURIComponent(password));
}
