import { expect, test } from 'vitest';
import { parseRetryAfter, retryDelay } from '../../src/http/retry.ts';

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

test('a delay is random below a bound that doubles', () => {
  const policy = { attempts: 9, baseMs: 100, longestWaitMs: 1000 };
  expect(retryDelay(policy, 1, undefined, () => 0)).toBe(0);
  expect(retryDelay(policy, 1, undefined, () => 1)).toBe(100);
  expect(retryDelay(policy, 3, undefined, () => 1)).toBe(400);
  expect(retryDelay(policy, 8, undefined, () => 1)).toBe(1000);
  expect(retryDelay(policy, 9, undefined)).toBeUndefined();
  expect(retryDelay(policy, 1, 1001)).toBeUndefined();
  expect(retryDelay(policy, 1, 900, () => 1)).toBe(1000);
});
