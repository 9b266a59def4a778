import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** A running worker: its release, and what it did in the last minute. It writes the record anew a few times a minute. */
export type WorkerRecord = ValueOf<typeof workerRecordSchema>;

/** The work of a worker in a period of about a minute. Times in milliseconds. */
export type WorkerLoad = WorkerRecord['load'];

export const workerRecordSchema = z.object({
  /** Random, for this run of the process. */
  worker: z.string(),
  host: z.string(),
  pid: z.number(),
  release: z.string(),
  node: z.string(),
  /** RFC 3339, by its own clock. */
  startedAt: z.string(),
  seenAt: z.string(),
  /** Shards whose jobs it runs; absent for all. */
  shards: z.array(z.number()).exactOptional(),
  /** Concurrent requests to the insights service that it may send. */
  concurrency: z.number(),
  load: z.object({
    periodMs: z.number(),
    /** Part of the time in which the event loop was busy, 0 to 1, and the delay that 99 % of its turns stay below. */
    loopUtilization: z.number(),
    loopDelayMs: z.number(),
    memoryBytes: z.number(),
    /** Attempts of jobs. */
    finished: z.number(),
    retried: z.number(),
    failed: z.number(),
    /** Requests to the insights service: all, those answered with 429, those without an answer or with a 5xx. */
    requests: z.number(),
    limited: z.number(),
    unanswered: z.number(),
    /** Time of all these requests together: in progress, and waiting for the budget. */
    busyMs: z.number(),
    budgetMs: z.number(),
    /** Attempts to deliver alerts: all, and those that no receiver accepted. */
    deliveries: z.number(),
    refused: z.number(),
  }),
  /** Imported data that are old, or of which a part or the present state cannot be read: what, and why. */
  faults: z.array(z.string()).exactOptional(),
  /** Traces: not configured, exported, or lost because the exporter fails. */
  traces: z.enum(['off', 'exported', 'lost']),
});
