import { pino } from 'pino';
import { expect, it } from 'vitest';
import { logThrottled } from '../../src/workers/throttled-log.ts';

it('the same error is logged once in each period, with its number of repetitions', () => {
  const lines: { error: string; repeated?: number }[] = [];
  let time = 0;
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
  const logError = logThrottled(log, 'queue connection', { everyMs: 1_000, now: () => time });
  for (let job = 0; job < 5_000; job += 1) logError(new Error(`Missing lock for job ${job}. moveToFinished`));
  logError(new Error('another'));
  time = 999;
  logError(new Error('another'));
  time = 1_000;
  logError(new Error('Missing lock for job 7. moveToFinished'));
  expect(lines.map(({ error, repeated }) => [error, repeated])).toEqual([
    ['Missing lock for job 0. moveToFinished', undefined],
    ['another', undefined],
    ['Missing lock for job 7. moveToFinished', 4_999],
  ]);
});
