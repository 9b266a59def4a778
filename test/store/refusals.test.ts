import { describe, expect, it } from 'vitest';
import { createRefusals } from '../../src/store/redis/refusals.ts';

const error = (message: string) => new Error(message);

describe('an answer that refuses writes', () => {
  it.each([
    "READONLY You can't write against a read only replica.",
    "READONLY You can't write against a read only replica. script: 5f1c, on @user_script:12.",
    "ERR Error running script (call to f_5f): @user_script:12: -READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'CLUSTERDOWN The cluster is down',
    'NOREPLICAS Not enough good replicas to write.',
    'MISCONF Redis is configured to save RDB snapshots, but is currently unable to persist to disk.',
    'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
  ])('%s', (message) => {
    expect(createRefusals({ wait: true }).onError(error(message))).toBe(2);
    expect(createRefusals({ wait: false }).onError(error(message))).toBe(1);
  });

  it.each(['ERR unknown command', 'WRONGTYPE not READONLYish', 'NOSCRIPT No matching script'])(
    'is not: %s',
    (message) => {
      const refusals = createRefusals({ wait: true });
      expect(refusals.onError(error(message))).toBe(false);
      expect(refusals.delay()).toBe(0);
      expect(refusals.current()).toBeUndefined();
    },
  );

  it('delays new connections, up to 2 s, until no refusal has occurred for some time', () => {
    let time = 0;
    const refusals = createRefusals({ wait: true, now: () => time });
    const refuse = () => refusals.onError(error('READONLY no'));
    const delays = Array.from({ length: 7 }, () => {
      refuse();
      return refusals.delay();
    });
    expect(delays).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
    expect(refusals.current()?.message).toBe('READONLY no');
    time = 5_000;
    expect(refusals.delay()).toBe(0);
    expect(refusals.current()).toBeUndefined();
    refuse();
    expect(refusals.delay()).toBe(100);
  });
});
