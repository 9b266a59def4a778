import { describe, expect, it } from 'vitest';
import { EnvelopeError } from '../../src/jobs/envelope.ts';
import { JobError } from '../../src/jobs/errors.ts';
import { IncompleteError } from '../../src/scan/attempt.ts';
import { StoreError } from '../../src/store/errors.ts';
import { WorkerError } from '../../src/workers/errors.ts';
import { DEFAULT_WAITING, type FailedAttempt, failureOf, isRefusal } from '../../src/workers/failure.ts';

const LIMITS = { attempts: 4, backoffMs: 1_000, maxBackoffMs: 3_000, timeoutMs: 60_000, concurrency: 1 };
const DAY = 24 * 3_600_000;

function failure(error: unknown, changes: Partial<FailedAttempt> = {}) {
  return failureOf({
    error,
    attempts: 1,
    postponements: 0,
    ageMs: 0,
    limits: LIMITS,
    waiting: DEFAULT_WAITING,
    random: 0.5,
    ...changes,
  });
}

const limited = new IncompleteError('lookups-incomplete', 'slow down', { retryAfterMs: 9_000 });
const newer = new EnvelopeError('newer-version', 'version 2', []);
const again = new IncompleteError('insights-partial', 'partial', {});

describe('the queue handles', () => {
  it.each([
    ['a bug', new TypeError('x is not a function'), {}, { kind: 'retry', delayMs: 750 }],
    ['something thrown that is no error', 'text', {}, { kind: 'retry', delayMs: 750 }],
    ['an error worth another attempt', again, {}, { kind: 'retry', delayMs: 750 }],
    [
      'an attempt that took too long',
      new WorkerError('timed-out', 'late'),
      {},
      { kind: 'retry', delayMs: 750 },
    ],
    [
      'a receiver that names a delay',
      new StoreError('unreachable', 'busy', { retryable: true, retryAfterMs: 5_000 }),
      {},
      { kind: 'retry', delayMs: 5_250 },
    ],
    [
      'a receiver that names a day',
      new StoreError('unreachable', 'busy', { retryable: true, retryAfterMs: DAY }),
      {},
      { kind: 'retry', delayMs: 3_780_000 },
    ],
    [
      'a job that has to wait for another',
      new WorkerError('not-its-turn', 'one more'),
      { attempts: 99 },
      { kind: 'postpone', delayMs: 675_000, code: 'not-its-turn' },
    ],
    [
      'a delivery whose route is stopped',
      new JobError('route-held', 'gone', { retryable: true }),
      { attempts: 99, ageMs: 30 * DAY },
      { kind: 'postpone', delayMs: 225_000, code: 'route-held' },
    ],
    [
      'a delivery whose route is at its limit',
      new JobError('route-later', 'busy', { retryable: true }),
      { postponements: 3 },
      { kind: 'postpone', delayMs: 3_000, code: 'route-later' },
    ],
    [
      'the same, put off again and again',
      new JobError('route-later', 'busy', { retryable: true }),
      { postponements: 2_000, attempts: 99 },
      { kind: 'postpone', delayMs: 22_500, code: 'route-later' },
    ],
    ['a service that limits all clients', limited, {}, { kind: 'pause', delayMs: 9_000 }],
    ['the same with all attempts used', limited, { attempts: 99 }, { kind: 'pause', delayMs: 9_000 }],
    [
      'a limit of hours',
      new IncompleteError('lookups-incomplete', 'slow', { retryAfterMs: DAY }),
      {},
      { kind: 'pause', delayMs: 300_000 },
    ],
    ['a newer release’s job', newer, {}, { kind: 'postpone', delayMs: 60_000, code: 'newer-version' }],
    [
      'the same with all attempts used',
      newer,
      { attempts: 99 },
      { kind: 'postpone', delayMs: 60_000, code: 'newer-version' },
    ],
  ])('%s', (_name, error, changes, expected) => {
    expect(failure(error, changes)).toEqual(expected);
  });

  it.each([
    ['an error that is not retryable', new JobError('facts-missing', 'gone'), {}, 'gone [facts-missing]'],
    ['an invalid payload', new EnvelopeError('invalid-payload', 'bad', []), {}, 'bad [invalid-payload]'],
    ['a job without a place in its lane', new WorkerError('turn-over', 'failed'), {}, 'failed [turn-over]'],
    ['the last attempt', again, { attempts: 4 }, 'partial [insights-partial]'],
    ['the last attempt of a bug', new Error('boom'), { attempts: 4 }, 'boom'],
    ['a limit for a whole day', limited, { ageMs: DAY, attempts: 4 }, 'slow down [lookups-incomplete]'],
    [
      'a newer release that was never deployed',
      newer,
      { ageMs: DAY, attempts: 4 },
      'version 2 [newer-version]',
    ],
  ])('%s: the job fails permanently', (_name, error, changes, message) => {
    const answer = failure(error, changes);
    expect(answer).toMatchObject({ kind: 'fail', message });
    expect(isRefusal(message)).toBe(error instanceof EnvelopeError);
  });
});

describe('the delay between attempts', () => {
  const delay = (attempts: number, random: number) => {
    const answer = failure(new Error('boom'), { attempts, random, limits: { ...LIMITS, attempts: 99 } });
    return answer.kind === 'retry' ? answer.delayMs : undefined;
  };

  it('doubles up to its limit', () => {
    expect([1, 2, 3, 4, 60].map((attempts) => delay(attempts, 1))).toEqual([
      1_000, 2_000, 3_000, 3_000, 3_000,
    ]);
  });

  it('has jitter over its upper half', () => {
    expect([0, 0.25, 0.999].map((random) => delay(2, random))).toEqual([1_000, 1_250, 1_999]);
  });
});
