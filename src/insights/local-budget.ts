import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestBudget } from '../model/ports/shared-state.ts';

/** A budget for this process only: requests are distributed evenly over each second. */
export function createLocalBudget(
  perSecond: number,
  now: () => number = () => performance.now(),
): RequestBudget {
  const intervalMs = 1_000 / perSecond;
  let due = 0;
  return {
    async take(signal) {
      signal?.throwIfAborted();
      const waitMs = Math.max(due, now()) - now();
      due = Math.max(due, now()) + intervalMs;
      if (waitMs >= 1) await sleep(waitMs, undefined, { signal });
    },
    async pause(ms) {
      due = Math.max(due, now() + ms);
    },
  };
}
