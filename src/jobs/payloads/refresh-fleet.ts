import { z } from 'zod';
import { CADENCES, type Cadence } from '../../model/fleet/cadence.ts';
import { lazily } from '../../model/lazily.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import type { JobType } from '../job-type.ts';
import { scanId, timestamp } from './fields.ts';

const schema = lazily(() =>
  z.strictObject({
    refresh: scanId(),
    requestedAt: timestamp(),
    cadence: z.enum(CADENCES),
  }),
);

export type RefreshFleet = z.infer<ReturnType<typeof schema>>;

/** Looks all package versions of the fleet up again, or the young ones. */
export const REFRESH_FLEET: JobType<RefreshFleet> = {
  name: 'refresh-fleet',
  version: 1,
  schema,
  key: ({ refresh }) => refresh,
};

/** The refresh of a due time. */
export function refreshDue(cadence: Cadence, due: Date): FollowUp {
  const requestedAt = due.toISOString();
  const refresh = `refresh.${cadence}.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(REFRESH_FLEET, { refresh, requestedAt, cadence });
}
