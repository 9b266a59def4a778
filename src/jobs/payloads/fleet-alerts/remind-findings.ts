import { createHash } from 'node:crypto';
import { z } from 'zod';
import { lazily } from '../../../model/lazily.ts';
import { RATED_SEVERITIES } from '../../../model/scan/severity.ts';
import type { JobType } from '../../job-type.ts';

const schema = lazily(() =>
  z.strictObject({
    window: z.iso.datetime().describe('When the reminders were due.'),
    after: z
      .partialRecord(z.enum(RATED_SEVERITIES), z.number().nonnegative())
      .describe('How long a finding of a severity is open before it is reported again, in milliseconds.'),
    routes: z.array(z.string().min(1).max(200)).max(10_000).describe('The routes that get reminders.'),
  }),
);

export type RemindFindings = z.infer<ReturnType<typeof schema>>;

/** Reports findings again that have been open for long: one digest for each route. */
export const REMIND_FINDINGS: JobType<RemindFindings> = {
  name: 'remind-findings',
  version: 1,
  schema,
  key: keyOf,
};

/** The scan id of the digest of a route. */
export function reminderId(payload: RemindFindings, route: string): string {
  const name = createHash('sha256').update(route).digest('hex').slice(0, 12);
  return `${keyOf(payload)}-${name}`;
}

function keyOf({ window }: RemindFindings): string {
  return `reminder-${window.replaceAll(/[^0-9TZ]/g, '')}`;
}
