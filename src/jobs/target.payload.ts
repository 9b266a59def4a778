import { z } from 'zod';
import { printableText } from './printable-text.ts';

/** What is watched, as producers name it. */
export const targetSchema = z.strictObject({
  id: printableText(1, 200).describe('Name of the target.'),
  labels: z
    .record(printableText(1, 63), printableText(0, 200))
    .default({})
    .describe('Labels for routing and for readers of alerts.'),
});
