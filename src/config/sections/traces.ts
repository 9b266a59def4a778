import { z } from 'zod';
import { secretReference } from '../secret-reference.ts';
import { httpUrl } from '../values.ts';

export const traces = z.strictObject({
  endpoint: httpUrl
    .optional()
    .describe(
      'OTLP/HTTP collector that receives traces, such as `http://collector:4318/v1/traces`. Unset: nothing is traced.',
    ),
  authorization: secretReference
    .optional()
    .describe('Value of the `authorization` header for the collector.'),
  ratio: z.number().min(0).max(1).default(1).describe('Part of the scans that are traced, 0 to 1.'),
});
