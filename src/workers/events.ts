import type { Progress } from '../jobs/job.ts';

/** What happens to jobs in this process, for progress lines, metrics and whoever waits for a scan. */
export type WorkerEvent = { readonly job: string; readonly key: string } & (
  | { readonly kind: 'started' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** The outcome is saved and what follows is enqueued. */
  | { readonly kind: 'finished' }
  | { readonly kind: 'retrying'; readonly reason: string; readonly delayMs: number }
  /** Given up; kept in the queue's failed jobs. */
  | { readonly kind: 'failed'; readonly reason: string }
);
