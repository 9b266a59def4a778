import { z } from 'zod';
import { durationOf, httpUrl } from '../values.ts';

const MINUTE_MS = 60_000;

const feed = (what: string, every: string) =>
  z
    .strictObject({
      url: httpUrl.optional().describe(`URL of ${what}. Unset: workers do not fetch it.`),
      every: durationOf(every)
        .refine((ms) => ms >= MINUTE_MS, 'at least `1m`')
        .describe('Time between two readings of it.'),
    })
    .prefault({});

/** Published lists about exploitation. */
export const data = z.strictObject({
  folder: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of imported lists for `scan`. Default: `lockhound` in `$XDG_DATA_HOME` or `~/.local/share`.',
    ),
  epss: feed('the EPSS scores', '24h'),
  kev: feed('the catalogue of known exploited vulnerabilities', '6h'),
  allowAddresses: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Private hosts or CIDR ranges that the lists may be read from, besides the hosts of their URLs.',
    ),
});
