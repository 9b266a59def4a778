import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../model/errors.ts';
import type { FlowOptions } from './flow.ts';
import { createReconciler, type ReconcileOptions } from './reconcile.ts';

export interface Reconciling {
  /** Time between two passes, of all workers together. */
  readonly everyMs: number;
  /** Whether this worker makes the pass of the time that begins now: true for one of those who ask. */
  readonly claim: (ms: number) => Promise<boolean>;
  readonly leftovers?: ReconcileOptions['leftovers'];
}

interface Surroundings {
  readonly flow: FlowOptions;
  readonly log: Logger;
  /** Puts back schedules that lost their next start. */
  readonly repair: (() => Promise<void>) | undefined;
}

/**
 * Makes a pass at once and then after each period. The clock is that of the process: one that BullMQ keeps in Redis can be
 * lost there like the jobs that it would have to bring back.
 */
export function startReconciling(
  { everyMs, claim, leftovers }: Reconciling,
  { flow, log, repair }: Surroundings,
): { stop(): Promise<void> } {
  const stop = new AbortController();
  const pass = createReconciler({ flow, log, leftovers });
  const passing = (async () => {
    while (!stop.signal.aborted) {
      try {
        if (await claim(everyMs)) {
          await repair?.();
          await pass();
        }
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'lost jobs could not be looked for');
      }
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stop.abort();
      await passing;
    },
  };
}
