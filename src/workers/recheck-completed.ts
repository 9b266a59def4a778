import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { messageOf } from '../model/errors.ts';
import type { StoredFollowUp } from '../model/queue/open-job.ts';
import { enqueueFollowUps, type FlowOptions } from './flow.ts';

/** Redis saves its log at least once a second; a replica that is promoted is rarely further behind. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;
/** A client that connects again first repeats the commands that were not answered. */
const SETTLE_MS = 2_000;

interface CompletedJob {
  readonly followUp: StoredFollowUp;
  /** Whether what it reads is stored. */
  readonly hasInput: () => Promise<boolean>;
}

/** The jobs that this worker completed lately and that follow from no other job. */
export type CompletedJobs = ReturnType<typeof rememberCompleted>;

/**
 * Remembers completed jobs that follow from no other job: when Redis loses their outcome with the last writes, nothing else knows of
 * them. An open job or the reconciler restores any other job.
 */
export function rememberCompleted(flow: FlowOptions, log: Logger) {
  const completed = new LRUCache<string, CompletedJob>({ max: MAX_KEPT, ttl: KEPT_MS });
  const closing = new AbortController();
  let checks: Promise<unknown> = Promise.resolve();
  const check = async (): Promise<void> => {
    try {
      await sleep(SETTLE_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      for (const { followUp, hasInput } of completed.values()) {
        const { job, key = '' } = followUp;
        if (await flow.outcomes.has(job, key)) continue;
        if (await hasInput()) {
          log.warn({ job, key }, 'the outcome of a job was lost; the job runs again');
          await enqueueFollowUps(flow, [followUp]);
        } else
          log.error(
            { job, key },
            'a job was lost with what it reads: the job before it repeats it, or its producer has to',
          );
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'completed jobs could not be checked after a lost connection');
    }
  };
  return {
    add(job: CompletedJob): void {
      completed.set(JSON.stringify([job.followUp.job, job.followUp.key]), job);
    },
    /** Queues the jobs again whose outcomes are lost. Call it when Redis may have lost writes. */
    recheck(): void {
      if (completed.size > 0) checks = Promise.all([checks, check()]);
    },
    /** Ends what was asked for without waiting: no other worker knows of these jobs. Never rejects. */
    async close(): Promise<void> {
      closing.abort();
      await checks;
    },
  };
}
