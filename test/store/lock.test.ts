import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLock } from '../../src/store/lock.ts';
import { connectRedis } from '../../src/store/redis/connection.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

/** Resolves when the time to live of a lock has been raised this many times. */
async function renewed({ redis, keys }: StoreRoom, name: string, times: number): Promise<void> {
  let before = await redis.pttl(keys.lock(name));
  for (let seen = 0; seen < times; await sleep(5)) {
    const now = await redis.pttl(keys.lock(name));
    if (now > before) seen += 1;
    before = now;
  }
}

describe('a lock', () => {
  it('has one holder at a time', async () => {
    const lock = createLock(room.redis, room.keys, { pollMs: 5 });
    let inside = 0;
    const seen: number[] = [];
    await Promise.all(
      Array.from({ length: 6 }, () =>
        lock.hold('one', async () => {
          seen.push(++inside);
          await sleep(10);
          inside -= 1;
        }),
      ),
    );
    expect(seen).toEqual([1, 1, 1, 1, 1, 1]);
    expect(await room.redis.exists(room.keys.lock('one'))).toBe(0);
  });

  it('returns the result of the work, and is released when it fails', async () => {
    const lock = createLock(room.redis, room.keys);
    expect(await lock.hold('result', async () => 42)).toBe(42);
    const failing = lock.hold('result', async () => {
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await lock.hold('result', async () => 'again')).toBe('again');
  });

  it('of a dead holder expires after its time to live', async () => {
    await room.redis.set(room.keys.lock('dead'), 'another holder', 'PX', 300);
    const lock = createLock(room.redis, room.keys, { pollMs: 20 });
    expect(await lock.hold('dead', async () => 'mine')).toBe('mine');
  });

  it('is renewed while the work runs', async () => {
    const lock = createLock(room.redis, room.keys, { ttlMs: 900, pollMs: 20 });
    let others = 0;
    const other = new AbortController();
    const lost = await lock.hold('renewed', async (signal) => {
      const contender = lock.hold('renewed', async () => (others += 1), other.signal);
      // Longer than the time to live.
      await renewed(room, 'renewed', 4);
      expect(others).toBe(0);
      other.abort();
      await expect(contender).rejects.toMatchObject({ name: 'AbortError' });
      return signal.aborted;
    });
    expect(lost).toBe(false);
  });

  it('that is lost aborts the work, and stays with its new holder', async () => {
    const lock = createLock(room.redis, room.keys, { ttlMs: 300 });
    const reason = await lock.hold('lost', async (signal) => {
      await room.redis.set(room.keys.lock('lost'), 'another holder');
      return aborted(signal);
    });
    expect(reason).toMatchObject({ message: expect.stringContaining('was lost') });
    expect(await room.redis.get(room.keys.lock('lost'))).toBe('another holder');
  });

  it('counts as lost when Redis does not answer for its time to live; the result of the work is kept', async () => {
    const own = await connectRedis({ urls: room.url });
    const lock = createLock(own, room.keys, { ttlMs: 300 });
    const result = await lock.hold('unreachable', async (signal) => {
      own.disconnect();
      await aborted(signal);
      return 'done';
    });
    expect(result).toBe('done');
  });

  it('counts as lost when Redis stops answering after a renewal', async () => {
    const silent = await openStoreRoom();
    const lock = createLock(silent.redis, silent.keys, { ttlMs: 600 });
    const reason = await lock.hold('silent', async (signal) => {
      await renewed(silent, 'silent', 1);
      await silent.redis.call('CLIENT', 'PAUSE', '1500', 'ALL');
      return signal.aborted ? signal.reason : await aborted(signal);
    });
    expect(reason).toMatchObject({ message: expect.stringContaining('was lost') });
    await silent.close();
  });

  it('is no longer awaited after the caller aborts', async () => {
    await room.redis.set(room.keys.lock('busy'), 'another holder');
    const lock = createLock(room.redis, room.keys, { pollMs: 5 });
    const waiting = lock.hold('busy', async () => 'never', AbortSignal.timeout(50));
    await expect(waiting).rejects.toMatchObject({ name: expect.stringMatching(/Abort|Timeout/) });
  });

  it('passes the abort of the caller to the work', async () => {
    const caller = new AbortController();
    const lock = createLock(room.redis, room.keys);
    const held = lock.hold(
      'handed-on',
      async (signal) => {
        caller.abort(new Error('enough'));
        return signal.reason as Error;
      },
      caller.signal,
    );
    expect((await held).message).toBe('enough');
  });
});
