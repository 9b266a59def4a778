import { decodeIds } from '../../fleet/id-list.ts';
import { lockedPackageOf } from '../../fleet/identity.ts';
import type { RefreshedPart } from '../../model/fleet/refresh.ts';
import { REFRESHED_PART } from '../../model/stored/catalog.ts';
import type { Job } from '../job.ts';
import { REFRESH_PACKAGES, type RefreshPackages } from '../payloads/refresh-packages.ts';
import { logPart, PART_LIMITS, refreshPart } from './part.ts';

/** Looks package versions up anew. What changed is pending until the targets that hold it are selected. */
export const refreshPackages: Job<RefreshPackages, RefreshedPart, 'fleet' | 'insights'> = {
  ...REFRESH_PACKAGES,
  limits: PART_LIMITS,
  needs: ['fleet', 'insights'],
  resultKind: REFRESHED_PART,
  run: (payload, { fleet, insights }, context) =>
    refreshPart(payload, fleet, context, async () => {
      const identities = await fleet.identities(decodeIds(Buffer.from(payload.ids, 'base64')));
      return await insights.refreshVersions(identities.map(lockedPackageOf), {
        signal: context.signal,
        since: Date.parse(payload.requestedAt),
      });
    }),
  log: logPart,
};
