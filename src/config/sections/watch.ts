import { z } from 'zod';
import { sourceSchema } from '../../model/watch/source.ts';
import { cronFault, isTimeZone } from '../cron.ts';
import { secretReference } from '../secret-reference.ts';
import { addressList, duration, durationFrom, durationOf } from '../values.ts';

const LEAST_MS = 1_000;

/** The part of `watch` about looking up again what targets hold. `0s`: never. */
const interval = (text: string) =>
  durationOf(text).refine((ms) => ms === 0 || ms >= LEAST_MS, { error: '`0s`, or at least `1s`' });

const refreshSettings = {
  every: interval('6h').describe(
    'Interval at which all packages of all targets are looked up again. `0s`: never.',
  ),
  young: interval('10m').describe(
    'The same for versions that were published or first seen in the last 14 days.',
  ),
  staleAfter: durationOf('24h').describe(
    'When the service has not answered about a package version of a target for longer than this, that is an alert (rule `stale-facts`). Longer than `every`.',
  ),
  jitter: durationOf('1m').describe('Each start is delayed by a random time up to this.'),
};

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** Credentials for the hosts that hold sources, by name. Schedules name them, and never hold their secrets. */
export const credentials = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, 'letters, digits, `_` and `-`, beginning with a letter'),
    z.strictObject({
      hosts: z
        .array(z.string().regex(/^[^\s/@]+$/, 'a host name, with its port where that is not the default one'))
        .min(1)
        .describe('Hosts that the secret may be sent to.'),
      username: z
        .string()
        .regex(/^[^:\p{Cc}]+$/u)
        .optional()
        .describe('User name for basic authentication. Unset: a bearer token; `x-access-token` for git.'),
      header: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'the name of a header')
        .optional()
        .describe('Header that holds the secret alone, such as `PRIVATE-TOKEN`.'),
      secret: secretReference,
    }),
  )
  .default({});

/** Settings of what is watched without being asked. */
export const watch = z.strictObject({
  ...refreshSettings,
  inspect: z
    .boolean()
    .default(true)
    .describe(
      'Whether package versions that are new to the fleet are inspected for signs of a compromise. A few requests for each.',
    ),
  unwatchedAfter: durationOf('24h').describe(
    'A source that cannot be read for longer than this is an alert (rule `unwatched`).',
  ),
  timeout: durationFrom(SECOND_MS, '5m', 14 * MINUTE_MS).describe(
    'Time limit for reading the source of one target.',
  ),
  allowAddresses: addressList()
    .default([])
    .describe('Private hosts or CIDR ranges that sources may be read from.'),
  folder: z
    .string()
    .min(1)
    .optional()
    .describe('Folder for repositories while they are read. Default: in the folder for temporary files.'),
  maxRepositoryBytes: z
    .int()
    .min(1_000_000)
    .default(1_073_741_824)
    .describe('What git may receive from one repository, in bytes.'),
});

/** One entry of `schedules`; `lockhound schedules add` checks its options with it, too. */
export const schedule = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[A-Za-z][A-Za-z0-9_-]{0,39}$/,
        'at most 40 letters, digits, `_` and `-`, beginning with a letter',
      ),
    source: sourceSchema(),
    target: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Id of the target; for several a template with `$PATH`, `$NAME`, `$HOST` or `$SCHEDULE`.'),
    labels: z.record(z.string().min(1).max(63), z.string().max(200)).default({}),
    every: duration.optional().describe('Time between two runs.'),
    cron: z.string().min(1).max(200).optional().describe('Or when it runs: a cron expression.'),
    timeZone: z.string().optional().describe('Time zone of `cron`. Default: `UTC`.'),
    jitter: durationOf('0s').describe('Each run is delayed by a random time up to this.'),
  })
  .refine(({ every, cron }) => (every === undefined) !== (cron === undefined), {
    error: 'name either `every` or `cron`',
    path: ['every'],
  })
  .refine(({ every = MINUTE_MS }) => every >= SECOND_MS, { error: 'at least `1s`', path: ['every'] })
  .refine(({ every, timeZone }) => every === undefined || timeZone === undefined, {
    error: '`timeZone` belongs to `cron`',
    path: ['timeZone'],
  })
  .refine(({ timeZone = 'UTC' }) => isTimeZone(timeZone), {
    error: 'a time zone such as `Europe/Berlin`',
    path: ['timeZone'],
  })
  .superRefine(({ cron, timeZone = 'UTC' }, context) => {
    const fault = cron === undefined || !isTimeZone(timeZone) ? undefined : cronFault(cron, timeZone);
    if (fault !== undefined) context.addIssue({ code: 'custom', path: ['cron'], message: fault });
  });

export const schedules = z
  .array(schedule)
  .default([])
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
    error: 'a different name for each schedule',
  });

export type ScheduleConfig = z.infer<typeof schedule>;
