import type { Progress } from '../scan/attempt.ts';

/** A step of a job in this process, for progress lines, metrics and callers that wait for a scan. */
export type WorkerEvent = {
  readonly job: string;
  readonly key: string;
} /** `waitedMs`: how long the job could have started already. Absent where part of the time was intended. */ & (
  | { readonly kind: 'started'; readonly waitedMs?: number }
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** The outcome is saved and the follow-ups are enqueued. */
  | {
      readonly kind: 'finished';
      readonly durationMs: number;
      /** The result; absent when an earlier attempt, or another worker, saved the outcome. */
      readonly result?: unknown;
    }
  | {
      readonly kind: 'retrying';
      /** The way back to the queue. Only `retry` counts an attempt. */
      readonly how: 'retry' | 'pause' | 'postpone';
      readonly reason: string;
      readonly delayMs: number;
    }
  /** Failed permanently; kept in the queue's failed jobs. */
  | { readonly kind: 'failed'; readonly reason: string }
);
