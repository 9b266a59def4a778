import type { ZodType } from 'zod';

/** The type of a job: its name and what its payload means. It is all that somebody who enqueues the job has to know. */
export interface JobType<Payload = unknown> {
  readonly name: string;
  /** Version of the payload; raised when its meaning changes. */
  readonly version: number;
  readonly schema: ZodType<Payload>;
  /** Turns the payload of an older version (the key) into that of the next one. */
  readonly upgrades?: Readonly<Record<number, (payload: unknown) => unknown>>;
  /** What the outcome is saved under; the same work has the same key. */
  key(payload: Payload): string;
}
