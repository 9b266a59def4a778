import { expect, test } from 'vitest';
import { retryDelay } from '../../src/http/undici-client.ts';

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
