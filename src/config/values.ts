import { z } from 'zod';
import { publicAddressesOnly } from '../http/address-guard.ts';
import { durationText, UNITS, type Unit } from '../model/duration.ts';
import { messageOf } from '../model/errors.ts';
import { RATED_SEVERITIES } from '../model/scan/severity.ts';

/** Times beyond it leave the range in which dates are exact in Redis. */
const LONGEST_MS = 36_500 * UNITS.d;

/** A duration: `250ms`, `30s`, `5m`, `2h` or `14d`, up to 100 years. Parsed to milliseconds. */
export const duration = z
  .string()
  .regex(/^\d{1,9}(?:ms|s|m|h|d)$/, 'a duration such as `250ms`, `30s`, `5m`, `2h` or `14d`')
  .transform((text) => Number.parseInt(text, 10) * UNITS[text.replace(/^\d+/, '') as Unit])
  .refine((ms) => ms <= LONGEST_MS, 'at most `36500d`');

/** A duration with a default, which is written as in the file. */
export const durationOf = (text: string) => duration.prefault(text);

/** Timers of Node end at once when their time is longer than 2^31 - 1 ms, which are 24.8 days. */
const LONGEST_TIMER_MS = 24 * UNITS.d;

/** A duration with a default and limits, in ms. The longest is by default what a timer can wait for. */
export const durationFrom = (least: number, text: string, most = LONGEST_TIMER_MS) =>
  durationOf(text).refine(
    (ms) => ms >= least && ms <= most,
    `a duration from \`${durationText(least)}\` to \`${durationText(most)}\``,
  );

/** A duration with a default after which something expires in Redis, which refuses a time of 0. */
export const lifetime = (text: string) => durationFrom(1, text, LONGEST_MS);

/** The interval of a timer, with a default. `0s`: never. */
export const timerInterval = (least: number, text: string) =>
  durationOf(text).refine(
    (ms) => ms === 0 || (ms >= least && ms <= LONGEST_TIMER_MS),
    `\`0s\`, or a duration from \`${durationText(least)}\` to \`${durationText(LONGEST_TIMER_MS)}\``,
  );

/** Hosts, addresses and CIDR ranges, read by `read`, which throws for what it cannot read. */
export const addressList = (read: (entries: readonly string[]) => unknown = publicAddressesOnly) =>
  z.array(
    z
      .string()
      .min(1)
      .superRefine((entry, context) => {
        try {
          read([entry]);
        } catch (error) {
          context.addIssue({ code: 'custom', message: messageOf(error) });
        }
      }),
  );

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
