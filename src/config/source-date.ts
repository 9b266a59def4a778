import { ConfigError } from './errors.ts';

/** Last second that a date has: 9999-12-31T23:59:59Z. */
const LAST_SECOND = 253_402_300_799;

/**
 * The time that reports name in place of that of the scan, RFC 3339: `SOURCE_DATE_EPOCH`, seconds since 1970
 * (reproducible-builds.org). `undefined` when it is not set. Throws `ConfigError` (`config-invalid`).
 */
export function sourceDate(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const { SOURCE_DATE_EPOCH: text } = environment;
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,12}$/.test(text) && Number(text) <= LAST_SECOND)
    return new Date(1_000 * Number(text)).toISOString();
  throw new ConfigError('config-invalid', 'SOURCE_DATE_EPOCH has to be a number of seconds since 1970');
}
