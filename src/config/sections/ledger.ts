import { z } from 'zod';
import { durationOf, targetLabels } from '../values.ts';

const keep = (text: string) =>
  durationOf(text).describe('How long it is kept what scans changed. `0d`: no ledger is kept.');

/** The memory of the fleet: what each scan changed (`docs/ledger.md`). */
export const ledger = z.strictObject({
  keep: keep('730d'),
  byLabel: z
    .array(
      z.strictObject({
        labels: targetLabels(),
        keep: keep('730d'),
      }),
    )
    .max(1_000)
    .default([])
    .describe(
      'In place of `ledger.keep` for targets with these labels (`*` matches any text); the last entry that fits counts.',
    ),
});
