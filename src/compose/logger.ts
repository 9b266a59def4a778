import { format } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type LoadedConfig, namedSecrets } from '../config/load.ts';
import { IGNORED_LINKS } from '../config/service-links.ts';
import { printableJson } from '../model/printable.ts';
import { createMasker, MASK, type Masker, type Secret } from '../model/secret.ts';
import { logThrottled } from '../workers/throttled-log.ts';

/** Keys whose values are never logged. */
const REDACTED = [
  'password',
  'apiKey',
  'applicationKey',
  'signingSecret',
  'authorization',
  'secret',
  'token',
].flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

/**
 * A log of JSON lines on standard error. Redacts known keys, and masks every secret of the configuration that this process
 * has read in the finished line. Escapes control characters, so that a package name cannot alter a terminal.
 */
export function createLogger({ config, secrets }: LoadedConfig, destination?: DestinationStream): Logger {
  const mask = maskSecrets([...namedSecrets(secrets).values()]);
  return pino(
    {
      level: config.log.level,
      base: { pid: process.pid },
      redact: { paths: REDACTED, censor: MASK },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => printableJson(mask(line)) },
    },
    destination ?? pino.destination({ fd: 2, sync: true }),
  );
}

const CONSOLE_METHODS = ['log', 'info', 'debug', 'warn', 'error', 'trace'] as const;

/**
 * Sends to the log what libraries write to the console: BullMQ and ioredis print advice and stack traces there, without
 * masking and levels. Returns a function that restores the console.
 */
export function captureConsole(log: Logger): () => void {
  const { console: target } = globalThis;
  const report = logThrottled(log, 'a library wrote to the console');
  const before = CONSOLE_METHODS.map((method) => [method, target[method]] as const);
  for (const method of CONSOLE_METHODS) {
    target[method] = (...args: unknown[]) => report(new Error(format(...args)));
  }
  return () => {
    for (const [method, original] of before) target[method] = original;
  };
}

/** Shorter values are not secrets, and masking them would hide ordinary text. */
const SHORTEST_SECRET = 4;

/** Masks what this process has read so far. */
function maskSecrets(secrets: readonly Secret[]): Masker {
  let known: readonly string[] = [];
  let mask = createMasker(known);
  return (line) => {
    const values = secrets.flatMap((secret) => secret.known());
    if (values.length !== known.length || values.some((one, index) => one !== known[index])) {
      known = values;
      mask = createMasker(known, SHORTEST_SECRET);
    }
    return mask(line);
  };
}

/** Statements in one line of the log. */
const MAX_LOGGED = 20;

/** Logs what of the configuration was not applied: variables of Kubernetes, and statements of VEX documents in one line. */
export function logConfigNotes({ vexNotApplied: all = [], serviceLinks }: LoadedConfig, log: Logger): void {
  if (serviceLinks !== undefined) log.info({ variables: serviceLinks }, IGNORED_LINKS);
  if (all.length === 0) return;
  const statements = all.slice(0, MAX_LOGGED).map(({ path, line, reason }) => `${path}:${line}: ${reason}`);
  log.warn(
    { count: all.length, statements },
    'statements of VEX documents were not applied and suppress nothing: `lockhound config check --json` lists all',
  );
}
