import { z } from 'zod';

const NO_CONTROL = /^\P{Cc}*$/u;

/** What is watched, as producers name it. */
export const targetSchema = z.strictObject({
  id: z.string().min(1).max(200).regex(NO_CONTROL, 'no control characters').describe('Name of the target.'),
  labels: z
    .record(z.string().min(1).max(63).regex(NO_CONTROL), z.string().max(200).regex(NO_CONTROL))
    .default({})
    .describe('Labels for routing and for readers of alerts.'),
});
