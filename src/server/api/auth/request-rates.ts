import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../../../operations/refusal.ts';

/** Callers whose rate is remembered. */
const MAX_CALLERS = 10_000;

/**
 * Counts the requests of callers, each `perSecond` on average and twice as many at once. Returns a function that throws `Refusal`
 * (429) for one that has too many.
 */
export function createRequestRates(perSecond: number, now: () => number = () => performance.now()) {
  const most = 2 * perSecond;
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: MAX_CALLERS });
  return (caller: string): void => {
    const bucket = buckets.get(caller) ?? { tokens: most, at: now() };
    const time = now();
    bucket.tokens = Math.min(most, bucket.tokens + ((time - bucket.at) / 1_000) * perSecond);
    bucket.at = time;
    buckets.set(caller, bucket);
    if (bucket.tokens < 1) {
      const retryAfter = Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      throw new Refusal(429, 'too-many-requests', `at most ${perSecond} requests a second`, { retryAfter });
    }
    bucket.tokens -= 1;
  };
}

/**
 * The address by which limits know a caller: of IPv6 the network of 64 bits, because one machine may use all addresses in it. `''` for a
 * connection that has ended.
 */
export function callerAddress({
  remoteAddress = '',
}: {
  readonly remoteAddress?: string | undefined;
}): string {
  const plain = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/s, '');
  if (!isIPv6(plain)) return plain;
  // The URL parser writes an address in its only form.
  const [before = '', after = ''] = (URL.parse(`http://[${plain}]/`)?.hostname.slice(1, -1) ?? plain).split(
    '::',
  );
  const parts = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [parts(before), parts(after)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}
