import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds after which a test gives up waiting. It only ends tests that hang: a busy machine takes many times longer than an idle
 * one, and a test that passes does not wait for it. The limit of the test itself (`vitest.config.ts`) is longer, so that this one says
 * what did not happen.
 */
export const LIMIT_MS = 240_000;

/**
 * Repeats a look until it finds something that is neither `undefined` nor `false`, and returns that. The longer it has waited, the
 * longer it waits before the next look: on a busy machine the looks of many tests would keep the processor from what they wait for.
 */
export async function until<Found>(
  what: string,
  look: () => Found | undefined | false | Promise<Found | undefined | false>,
): Promise<Found> {
  const start = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    const waitedMs = performance.now() - start;
    if (waitedMs > LIMIT_MS) throw new Error(`not within ${LIMIT_MS} ms: ${what}`);
    await sleep(Math.min(20 + waitedMs / 10, 200));
  }
}
