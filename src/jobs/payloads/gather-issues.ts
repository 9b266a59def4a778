import { createHash } from 'node:crypto';
import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import type { JobType } from '../job-type.ts';

const schema = lazily(() =>
  z.strictObject({
    route: z.string().min(1).max(200),
    window: z.iso.datetime().describe('When the alerts were due.'),
  }),
);

export type GatherIssues = z.infer<ReturnType<typeof schema>>;

/** Builds the alerts of a route of mode `advisory`: one for each issue. */
export const GATHER_ISSUES: JobType<GatherIssues> = {
  name: 'gather-issues',
  version: 1,
  schema,
  key: keyOf,
};

/** The first part of the scan ids of its alerts. */
function keyOf({ route, window }: GatherIssues): string {
  const name = createHash('sha256').update(route).digest('hex').slice(0, 12);
  return `issues-${name}-${window.replaceAll(/[^0-9TZ]/g, '')}`;
}
