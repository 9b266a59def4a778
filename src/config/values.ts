import { z } from 'zod';
import { UNITS, type Unit } from '../model/duration.ts';
import { RATED_SEVERITIES } from '../model/scan/severity.ts';

/** A duration: `250ms`, `30s`, `5m`, `2h` or `14d`. Parsed to milliseconds. */
export const duration = z
  .string()
  .regex(/^\d{1,9}(?:ms|s|m|h|d)$/, 'a duration such as `250ms`, `30s`, `5m`, `2h` or `14d`')
  .transform((text) => {
    return Number.parseInt(text, 10) * UNITS[text.replace(/^\d+/, '') as Unit];
  });

/** A duration with a default, which is written as in the file. */
export const durationOf = (text: string) => duration.prefault(text);

export const httpUrl = z.url({ protocol: /^https?$/, error: 'an http or https URL' });

export const severity = z.enum(RATED_SEVERITIES, {
  error: `one of ${RATED_SEVERITIES.join(', ')}; \`policy.unknownSeverity\` sets what an unrated advisory counts as`,
});

/** The labels of targets that a setting is for. */
export const targetLabels = () =>
  z
    .record(z.string().min(1).max(63), z.string().max(200))
    .refine((labels) => Object.keys(labels).length > 0, { error: 'at least one label' });

/** Durations by severity. */
export const bySeverity = z.strictObject({
  critical: duration.optional(),
  high: duration.optional(),
  medium: duration.optional(),
  low: duration.optional(),
});
