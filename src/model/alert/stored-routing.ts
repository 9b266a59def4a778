import { z } from 'zod';

/** Routes as they are stored: to compare with, so that conditions which another release wrote are kept unchecked. */
export const storedRoutingSchema = z.object({
  take: z.enum(['all', 'first']),
  firstScan: z.enum(['summary', 'all', 'none']),
  rules: z.array(
    z.looseObject({
      name: z.string(),
      mode: z.string(),
      match: z.looseObject({}),
      rest: z.boolean(),
    }),
  ),
});
