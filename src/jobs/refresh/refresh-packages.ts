import { decodeIds } from '../../fleet/id-list.ts';
import { lockedPackageOf } from '../../fleet/identity.ts';
import type { RefreshedPart } from '../../model/fleet/refresh.ts';
import { REFRESHED_PART } from '../../model/stored/catalog.ts';
import type { Job } from '../job.ts';
import { REFRESH_PACKAGES, type RefreshPackages } from '../payloads/refresh-packages.ts';
import { logPart, refreshPart } from './part.ts';

/** Looks package versions up anew. What changed is pending until the targets that hold it are selected. */
export const refreshPackages: Job<RefreshPackages, RefreshedPart, 'fleet' | 'insights'> = {
  ...REFRESH_PACKAGES,
  // With a low request budget a part takes long.
  limits: { attempts: 8, backoffMs: 2_000, maxBackoffMs: 300_000, timeoutMs: 7_200_000, concurrency: 1 },
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
