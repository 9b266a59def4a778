import { expect, it } from 'vitest';
import { createRandom } from '../../simulation/random.ts';
import { createOwner, Scheduler } from '../../simulation/scheduler.ts';

it.each([
  ['while it is stopped, for a shorter time', 0, 2, 1],
  ['while it is stopped, for a longer time', 0, 2, 20],
  ['when it goes on', 0, 10, 5],
])('keeps the order of what waits for a process that is stopped again %s', async (_, first, second, ms) => {
  const scheduler = new Scheduler(0, createRandom(1), setImmediate);
  const owner = createOwner('worker');
  const ran: number[] = [];
  scheduler.as(owner, () => {
    for (let at = 1; at <= 40; at += 1) scheduler.after(at / 2, () => void ran.push(at));
  });
  scheduler.after(first, () => scheduler.stop(owner, 10));
  scheduler.after(second, () => scheduler.stop(owner, ms));
  await scheduler.drive(() => scheduler.sleep(60));
  expect(ran).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
});
