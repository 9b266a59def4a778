import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { refreshDue } from '../../src/jobs/refresh/refresh-fleet.ts';
import { HAS_REDIS } from '../native-redis.ts';
import { randomOf } from '../seeded-random.ts';
import { until } from '../until.ts';
import { type ChaosRedis, startChaosRedis } from './chaos-redis.ts';
import { SOUND } from './fixtures.ts';
import { ADVISORY, createInbox, enqueue, idle, scan } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

const random = randomOf('FAILOVER_SEED');
const ROUNDS = Number(process.env['FAILOVER_ROUNDS'] ?? 1);
const TARGETS = ['one', 'three', 'two'];
const each = (text: string) => TARGETS.map((target) => `${target} ${text}`);

describe.skipIf(!HAS_REDIS)('a replica that takes over during a refresh', () => {
  let redis: ChaosRedis;
  let world: World;
  beforeAll(async () => {
    redis = await startChaosRedis();
    world = await createWorld({ url: redis.url, close: redis.close });
  });
  afterEach(() => {
    world.services.insights.withdrawAdvisory(ADVISORY.id);
  });
  afterAll(() => world?.close(), 60_000);

  const failures: Readonly<Record<string, () => Promise<void>>> = {
    'that lags': () => redis.failOver(random() * 300),
    'while workers stay connected to the old primary': () => redis.demote(random() * 200, random() * 1_000),
  };
  const cases = Object.keys(failures).flatMap((kind) =>
    Array.from({ length: ROUNDS }, (_, round) => [kind, round] as const),
  );

  it.each(cases)(
    '%s (%i): no refresh stays in progress, and each change is sent at the latest by the next one, and not again',
    async (kind, round) => {
      const { insights } = world.services;
      const name = `failover-${cases.findIndex((one) => one[0] === kind && one[1] === round)}`;
      const room = await world.room(
        name,
        ['retries: { attempts: 60, firstDelay: 20ms, longestDelay: 200ms }'],
        {
          config: ['worker: { recheck: { open: 1s, turn: 1s, held: 1s } }'],
        },
      );
      const inbox = createInbox(world, name);
      const workers = [room.work(), room.work()];
      for (const target of TARGETS) await scan(room, target, SOUND);
      inbox();
      insights.learnAdvisory(ADVISORY);
      const first = refreshDue('all', new Date());
      await enqueue(room, first);
      // The replica has the request, so that nothing but Lockhound can lose it.
      await room.store.redis.wait(1, 10_000);
      await sleep(random() * 150);
      await failures[kind]?.();
      // Redis may have forgotten that these were sent.
      const early = inbox();
      await over(room, first.key);
      expect(await room.store.fleet.refreshInProgress('all')).toBeUndefined();
      // Redis may have lost answers that it had acknowledged, or the refresh: the next one asks for them again.
      const late = [...inbox()];
      for (let later = 0; later < 2; later += 1) {
        const next = refreshDue('all', new Date());
        await until('the new primary takes the request', () => taken(enqueue(room, next)));
        await ended(room, next.key);
        late.push(...inbox());
        expect([...new Set([...early, ...late])].sort()).toEqual(each('opened vulnerability medium'));
        expect(new Set(late).size, String(late)).toBe(late.length);
      }
      for (const worker of workers) await worker.stop();
    },
  );
});

/** Whether Redis took a command: a connection may still lead to the old primary, which is read-only. */
async function taken(command: Promise<unknown>): Promise<boolean> {
  return await command.then(
    () => true,
    () => false,
  );
}

/**
 * Resolves when a refresh is not in progress. Redis may have lost its beginning: then a part of it may still run, and the
 * next refresh does its work.
 */
async function over(room: Room, refresh: string): Promise<void> {
  const isOver = async () => {
    try {
      const { fleet } = room.store;
      const hasEnded = (await fleet.lastRefresh('all'))?.refresh === refresh;
      if (hasEnded || (await fleet.refreshInProgress('all')) !== undefined) return hasEnded;
      await idle(room, 100);
      // A worker that connects again sends the commands again that were not answered, and may go on with the refresh.
      await sleep(3_000);
      return (await fleet.refreshInProgress('all')) === undefined;
    } catch {
      return false;
    }
  };
  await until(`refresh ${refresh} is over`, isOver);
  await until('nothing is open', () => taken(idle(room, 100)));
}

/** Resolves when a refresh has ended and nothing that follows from it is open. */
async function ended(room: Room, refresh: string): Promise<void> {
  const isDone = async () => {
    try {
      if ((await room.store.fleet.lastRefresh('all'))?.refresh !== refresh) return false;
      await idle(room, 100);
      return true;
    } catch {
      // Not finished, or the connection changes to the new primary.
      return false;
    }
  };
  await until(`refresh ${refresh} has ended`, isDone);
}
