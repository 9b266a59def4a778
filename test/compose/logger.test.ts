import { pino } from 'pino';
import { expect, it } from 'vitest';
import { captureConsole } from '../../src/compose/logger.ts';

it('console output of libraries is logged, and repetitions once', () => {
  const { console: target } = globalThis;
  const lines: string[] = [];
  const before = target.error;
  const release = captureConsole(pino({ level: 'info' }, { write: (line) => void lines.push(line) }));
  for (let times = 0; times < 100; times += 1) {
    target.error('[ioredis] Unhandled error event:', new Error('write ECONNRESET'));
  }
  target.warn('IMPORTANT! Eviction policy is %s', 'allkeys-lru');
  release();
  expect(target.error).toBe(before);
  expect(lines.map((line) => JSON.parse(line).error.split('\n')[0])).toEqual([
    '[ioredis] Unhandled error event: Error: write ECONNRESET',
    'IMPORTANT! Eviction policy is allkeys-lru',
  ]);
});
