import { z } from 'zod';
import type { ListedFacts } from '../../fleet/fleet.ts';
import { encodeIds, type IdList } from '../../fleet/id-list.ts';
import { CADENCES, type Cadence, type RefreshRecord } from '../../model/fleet/refresh.ts';
import { lazily } from '../../model/lazily.ts';
import { chunks } from '../../model/yielding.ts';
import { renewedAdvice } from '../advise-upgrades.ts';
import { type FollowUp, followUp, type Job } from '../job.ts';
import { scanId, timestamp } from '../payloads/fields.ts';
import type { FleetPort } from '../ports.ts';
import { finishRefresh } from './finish-refresh.ts';
import { claimOf, type RefreshFacts, refreshFacts } from './refresh-facts.ts';

const schema = lazily(() =>
  z.strictObject({
    refresh: scanId(),
    requestedAt: timestamp(),
    cadence: z.enum(CADENCES),
  }),
);

type RefreshFleet = z.infer<ReturnType<typeof schema>>;

/** The refresh of a due time. */
export function refreshDue(cadence: Cadence, due: Date): FollowUp {
  const requestedAt = due.toISOString();
  const refresh = `refresh.${cadence}.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(refreshFleet, { refresh, requestedAt, cadence });
}

/** The subjects of a refresh, or the refresh because of which it was skipped. */
type RefreshPlan =
  | { readonly packages: number; readonly advisories: number }
  | { readonly skippedFor: string };

/** Whole pages of the service. Few enough that a worker that dies repeats little. */
const PACKAGES_PER_PART = 2_500;
const ADVISORIES_PER_PART = 250;
/** Package versions that were published or first seen within this time are young. */
const YOUNG_MS = 14 * 24 * 3_600_000;

/**
 * Starts a refresh: every package version that a target locks is looked up once, whatever number of targets hold it, and every
 * advisory is read once. A refresh of everything also renews the known fixes of open alerts. While another refresh of the same cadence is in progress, it is skipped.
 */
export const refreshFleet: Job<RefreshFleet, RefreshPlan, 'fleet' | 'knownFixes'> = {
  name: 'refresh-fleet',
  version: 1,
  schema,
  key: ({ refresh }) => refresh,
  limits: { attempts: 10, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 600_000, concurrency: 1 },
  async run(payload, ports, { startedAt }) {
    const { fleet } = ports;
    const { refresh, cadence } = payload;
    const running = await fleet.refreshInProgress(cadence);
    if (running !== undefined && running !== refresh) {
      return { result: { skippedFor: running }, next: [] };
    }
    const last = await fleet.lastRefresh(cadence);
    // The job of a refresh that has ended runs again when Redis has lost its outcome. Nothing would release what it claims.
    if (last !== undefined && isBetween(last.startedAt, payload.requestedAt, startedAt)) {
      return { result: { skippedFor: last.refresh }, next: [] };
    }
    const { ids, advisories } = await dueFacts(cadence, fleet, { startedAt, last });
    return {
      result: { packages: ids.length, advisories: advisories.length },
      next: [
        partsOf({ ...payload, dividedAt: startedAt }, ids, advisories),
        ...(cadence === 'all' ? await renewedAdvice(payload, ports, startedAt) : []),
      ],
      fleet: {
        claim: {
          ...claimOf(payload),
          // The last one may have claimed it again after its end.
          replaces: last?.refresh,
        },
      },
    };
  },
  log: ({ refresh }, plan) =>
    'skippedFor' in plan && plan.skippedFor !== refresh
      ? { facts: { refresh }, warning: `skipped, because ${plan.skippedFor} is in progress or has ended` }
      : { facts: { refresh, ...plan } },
  spent: 'own',
};

/** `from`: RFC 3339; `until`: ms since 1970. A time after it was written by a clock that is wrong. */
function isBetween(time: string, from: string, until: number): boolean {
  const ms = Date.parse(time);
  return ms >= Date.parse(from) && ms <= until;
}

async function dueFacts(
  cadence: Cadence,
  fleet: FleetPort,
  { startedAt, last }: { readonly startedAt: number; readonly last: RefreshRecord | undefined },
): Promise<ListedFacts> {
  switch (cadence) {
    case 'all':
      return { ids: await fleet.packageIds(), advisories: await fleet.advisoryIds() };
    case 'young':
      return { ids: await fleet.youngPackageIds(startedAt - YOUNG_MS), advisories: [] };
    case 'listed':
      return await fleet.listed(listedSince(last));
  }
}

/**
 * The time in ms from which listed packages were not refreshed yet: all of them, until the service has answered once
 * about each.
 */
export function listedSince(last: Pick<RefreshRecord, 'startedAt' | 'unanswered'> | undefined): number {
  return last === undefined || last.unanswered > 0 ? 0 : Date.parse(last.startedAt);
}

function partsOf(
  { refresh, requestedAt, cadence, dividedAt }: RefreshFleet & { readonly dividedAt: number },
  ids: IdList,
  advisories: readonly string[],
): FollowUp {
  const payload = { refresh, requestedAt, cadence, dividedAt };
  const packageParts: RefreshFacts['facts'][] = [];
  for (let at = 0; at < ids.length; at += PACKAGES_PER_PART) {
    const versions = encodeIds(ids.subarray(at, at + PACKAGES_PER_PART)).toString('base64');
    packageParts.push({ versions });
  }
  const advisoryParts = chunks(advisories, ADVISORIES_PER_PART).map((part) => ({ advisories: [...part] }));
  const numbers = { packageParts: packageParts.length, advisoryParts: advisoryParts.length };
  const children = [...packageParts, ...advisoryParts].map((facts, part) =>
    followUp(refreshFacts, { ...payload, part, facts }),
  );
  return followUp(finishRefresh, { ...payload, ...numbers }, children);
}
