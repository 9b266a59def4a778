import { z } from 'zod';
import type { Suppression } from '../../model/scan/suppression.ts';
import { type SuppressionEntry, suppressionEntry, suppressionOf } from '../../policy/suppressions/entry.ts';

/** Findings that must not alert, for all targets. */
export const suppressions = z.array(suppressionEntry()).max(10_000).default([]);

/** Whether targets may suppress findings themselves, and up to which severity. */
export const targetSuppressions = z
  .enum(['off', 'low', 'medium', 'high', 'critical'])
  .default('high')
  .describe('Worst severity of findings that `.lockhound.yaml` beside a lockfile may suppress. `off`: none.');

/** The suppressions of the configuration. */
export function configuredSuppressions(entries: readonly SuppressionEntry[]): readonly Suppression[] {
  return entries.map((entry, index) =>
    suppressionOf(entry, { id: `suppressions[${index}]`, source: 'configuration' }),
  );
}
