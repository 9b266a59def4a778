import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../src/operations/refusal.ts';
import { withHidden } from '../../../src/server/api/hidden.ts';

const notThere = () => Promise.reject(new Refusal(404, 'not-found', 'there is no such scan'));

describe('an answer to a caller who does not see all targets', () => {
  it('that something is not there comes at a time that does not depend on the work', async () => {
    const events: string[] = [];
    const time = Promise.withResolvers<void>();
    const pause = () => {
      events.push('time begins');
      return time.promise;
    };
    const answer = withHidden(
      { seesAll: false },
      () => {
        events.push('work');
        return notThere();
      },
      pause,
    ).catch(() => events.push('answer'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(['time begins', 'work']);
    time.resolve();
    await answer;
    expect(events).toEqual(['time begins', 'work', 'answer']);
  });

  it('does not wait when it is another one', async () => {
    const never = () => new Promise(() => {});
    expect(await withHidden({ seesAll: false }, async () => 'found', never)).toBe('found');
    const taken = () => Promise.reject(new Refusal(409, 'conflict', 'taken'));
    await expect(withHidden({ seesAll: false }, taken, never)).rejects.toThrow('taken');
    await expect(withHidden({ seesAll: true }, notThere, never)).rejects.toThrow('no such scan');
  });
});
