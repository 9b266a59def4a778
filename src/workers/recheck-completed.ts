import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { messageOf } from '../model/errors.ts';
import type { StoredFollowUp } from '../model/queue/follow-up.ts';
import { enqueueFollowUps, type FlowOptions } from './flow.ts';

/** Redis saves its log at least once a second; a replica that is promoted is rarely further behind. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;
/** A client that connects again first repeats the commands that were not answered. */
const SETTLE_MS = 2_000;

/** The jobs that this worker completed lately and that follow from no other job. */
export type CompletedJobs = ReturnType<typeof rememberCompleted>;

/**
 * Remembers completed jobs that follow from no other job: when Redis loses their outcome with the last writes, nothing else knows of
 * them. An open job or the reconciler restores any other job.
 */
export function rememberCompleted(flow: FlowOptions, log: Logger, settleMs = SETTLE_MS) {
  const completed = new LRUCache<string, StoredFollowUp>({ max: MAX_KEPT, ttl: KEPT_MS });
  return {
    add(job: StoredFollowUp): void {
      completed.set(JSON.stringify([job.job, job.key]), job);
    },
    /** Queues the jobs again whose outcomes are lost. Call it when Redis may have lost writes. Never rejects. */
    async recheck(): Promise<void> {
      if (completed.size === 0) return;
      try {
        await sleep(settleMs, undefined, { ref: false });
        for (const job of completed.values()) {
          const { job: name, key = '' } = job;
          if (await flow.outcomes.has(name, key)) continue;
          log.warn({ job: name, key }, 'the outcome of a job was lost; the job runs again');
          await enqueueFollowUps(flow, [job]);
        }
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'completed jobs could not be checked after a lost connection');
      }
    },
  };
}
