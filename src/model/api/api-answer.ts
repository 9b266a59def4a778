import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** An answer of the API to a write with an idempotency key. */
export type StoredAnswer = Exclude<ValueOf<typeof apiAnswerSchema>['answer'], undefined>;

export const apiAnswerSchema = z.object({
  /** SHA-256 of the request, hex: method, path and body. */
  request: z.string(),
  /** The answer; absent while the request is being answered. */
  answer: z.object({ status: z.number(), type: z.string(), body: z.string() }).exactOptional(),
});
