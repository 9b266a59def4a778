import type { RefreshedPart } from '../../model/fleet/refresh.ts';
import { REFRESHED_PART } from '../../model/stored/catalog.ts';
import type { Job } from '../job.ts';
import { REFRESH_ADVISORIES, type RefreshAdvisories } from '../payloads/refresh-advisories.ts';
import { logPart, PART_LIMITS, refreshPart } from './part.ts';

/** Reads advisories anew. What changed is pending until the targets that it concerns are selected. */
export const refreshAdvisories: Job<RefreshAdvisories, RefreshedPart, 'fleet' | 'insights'> = {
  ...REFRESH_ADVISORIES,
  limits: PART_LIMITS,
  needs: ['fleet', 'insights'],
  resultKind: REFRESHED_PART,
  run: (payload, { fleet, insights }, context) =>
    refreshPart(payload, fleet, context, () =>
      insights.refreshAdvisories(payload.ids, {
        signal: context.signal,
        since: Date.parse(payload.requestedAt),
      }),
    ),
  log: logPart,
};
