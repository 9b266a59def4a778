import { expect, test } from 'vitest';
import { parseRetryAfter, rateLimitWait, requestedPause, retryOptions } from '../../src/model/retry-after.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['3', 3000],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['-1', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is %j ms', (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected);
});

test.each([
  [200, false],
  [404, false],
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [503, true],
])('HTTP %i is temporary: %j', (status, retryable) => {
  expect(retryOptions({ status, retryAfterMs: 1 })).toEqual({ retryable, retryAfterMs: 1 });
});

test('a rate limit names its wait or has a default one; the pause of all requests is limited', () => {
  expect(rateLimitWait({ status: 429, retryAfterMs: 70 })).toBe(70);
  expect(rateLimitWait({ status: 429 })).toBe(5_000);
  expect(requestedPause({ status: 429 })).toBeUndefined();
  expect(requestedPause({ status: 503, retryAfterMs: 70 })).toBeUndefined();
  expect(requestedPause({ status: 429, retryAfterMs: 3_600_000 })).toBe(300_000);
});
