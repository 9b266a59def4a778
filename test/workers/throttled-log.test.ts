import { pino } from 'pino';
import { expect, it } from 'vitest';
import { logThrottled } from '../../src/workers/throttled-log.ts';

it('the same error is logged once a period, with how often it came', () => {
  const lines: { error: string; repeated?: number }[] = [];
  let time = 0;
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
  const tell = logThrottled(log, 'queue connection', { everyMs: 1_000, now: () => time });
  for (let job = 0; job < 5_000; job += 1) tell(new Error(`Missing lock for job ${job}. moveToFinished`));
  tell(new Error('another'));
  time = 999;
  tell(new Error('another'));
  time = 1_000;
  tell(new Error('Missing lock for job 7. moveToFinished'));
  expect(lines.map(({ error, repeated }) => [error, repeated])).toEqual([
    ['Missing lock for job 0. moveToFinished', undefined],
    ['another', undefined],
    ['Missing lock for job 7. moveToFinished', 4_999],
  ]);
});
