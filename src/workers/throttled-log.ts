import type { Logger } from 'pino';

/** Messages that differ only in ids and numbers count as one. */
const VARYING = /[0-9a-f-]{8,}|\d+/g;
const MAX_KNOWN = 200;

/**
 * For errors that may occur thousands of times a second while Redis is unavailable: logs each message once in `everyMs`,
 * with the number of repetitions since it was last logged.
 */
export function logThrottled(
  log: Logger,
  text: string,
  { everyMs = 60_000, now = Date.now }: { readonly everyMs?: number; readonly now?: () => number } = {},
): (error: Error) => void {
  const known = new Map<string, { at: number; since: number }>();
  return ({ message }) => {
    const key = message.replaceAll(VARYING, '#');
    const last = known.get(key);
    if (last !== undefined && now() - last.at < everyMs) {
      last.since += 1;
      return;
    }
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, { at: now(), since: 0 });
    log.warn({ error: message, repeated: last?.since || undefined }, text);
  };
}
