import type { ZodType } from 'zod';

/** The name and payload of a job: all that is needed to enqueue it. */
export interface JobType<Payload = unknown> {
  readonly name: string;
  /** Version of the payload; raised when its meaning changes. */
  readonly version: number;
  /** The oldest version that says everything in a payload, so that workers of older releases can run it. Default: `version`. */
  versionFor?(payload: Payload): number;
  /** Built on first use, because building a schema takes longer than most jobs of a small scan. */
  schema(): ZodType<Payload>;
  /** Upgrades by the version that they read. Each returns a payload of the next version. */
  readonly upgrades?: Readonly<Record<number, (payload: unknown) => unknown>>;
  /** The key of the outcome; the same work has the same key. */
  key(payload: Payload): string;
  /** For a job that other programs queue under an id of their choice. */
  readonly requested?: {
    /** The payload with an id that belongs to its target, and with a time that is not in the future. `now`: ms since 1970. */
    own(payload: Payload, now: number): Payload;
    /** A hash that is equal for a repetition, and for nothing else. */
    content(payload: Payload): string;
  };
}

/** The version with which a payload is enqueued. */
export function versionOf<Payload>(
  type: Pick<JobType<Payload>, 'version' | 'versionFor'>,
  payload: Payload,
): number {
  return type.versionFor?.(payload) ?? type.version;
}
