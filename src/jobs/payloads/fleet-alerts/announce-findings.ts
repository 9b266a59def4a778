import { createHash } from 'node:crypto';
import { z } from 'zod';
import { lazily } from '../../../model/lazily.ts';
import type { JobType } from '../../job-type.ts';
import { routing, scanId, timestamp } from '../fields.ts';

const schema = lazily(() =>
  z.strictObject({
    selection: scanId().describe('Id of the selection of all targets that changed settings led to.'),
    requestedAt: timestamp().describe('When the settings changed.'),
    before: routing().describe('The routes by which changes were sent until then.'),
    now: routing(),
  }),
);

export type AnnounceFindings = z.infer<ReturnType<typeof schema>>;

/** Sends the findings that exist already to the routes that changed settings assign them to: one summary for each route. */
export const ANNOUNCE_FINDINGS: JobType<AnnounceFindings> = {
  name: 'announce-findings',
  version: 1,
  schema,
  key: ({ selection }) => selection,
};

/** The scan id of the summary of a route. */
export function summaryId({ selection }: Pick<AnnounceFindings, 'selection'>, route: string): string {
  return `existing-${createHash('sha256').update(`${selection} ${route}`).digest('hex').slice(0, 24)}`;
}
