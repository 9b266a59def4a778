import { expect, it } from 'vitest';
import { isLoopback } from '../../src/model/loopback.ts';

it.each(['localhost', '127.0.0.1', '127.0.0.53', '::1', '[::1]'])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

it.each(['', '0.0.0.0', '127.example.com', '127.0.0.1.example.com', 'localhost.example.com', '[::]'])(
  '%s is not known to be this machine',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
