import { type DestinationStream, type Logger, pino } from 'pino';
import { type LoadedConfig, namedSecrets } from '../config/load.ts';
import { printableJson } from '../model/printable.ts';
import type { Secret } from '../model/secret.ts';

const MASK = '(secret)';

/** Keys whose values never belong in a log, whoever put them there. */
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
 * The log: JSON lines on standard error. Known keys are redacted, and as a last line of defence every secret value of
 * the configuration that this process has read is masked wherever it turns up in a finished line. Characters that are not
 * drawn are escaped: a package name cannot change what is read in a terminal.
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

/** Values as they stand in a JSON line. Very short ones would mask innocent text, and are no secrets. */
function maskSecrets(secrets: readonly Secret[]): (line: string) => string {
  return (line) =>
    secrets.reduce((text, secret) => {
      const value = JSON.stringify(secret.known() ?? '').slice(1, -1);
      return value.length < 4 ? text : text.replaceAll(value, MASK);
    }, line);
}
