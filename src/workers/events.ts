import type { Progress } from '../jobs/job.ts';

/** A step of a job in this process, for progress lines, metrics and callers that wait for a scan. */
export type WorkerEvent = { readonly job: string; readonly key: string } & (
  | { readonly kind: 'started' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** The outcome is saved and the follow-ups are enqueued. */
  | { readonly kind: 'finished' }
  | { readonly kind: 'retrying'; readonly reason: string; readonly delayMs: number }
  /** Failed permanently; kept in the queue's failed jobs. */
  | { readonly kind: 'failed'; readonly reason: string }
);
