import { z } from 'zod';
import { type Freshness, unansweredReason } from '../../model/fleet/freshness.ts';
import type { RefreshRecord } from '../../model/fleet/refresh.ts';
import { lazily } from '../../model/lazily.ts';
import type { TargetState } from '../../model/scan/change.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import type { JobType } from '../job-type.ts';
import { scanId, timestamp } from './fields.ts';

const schema = lazily(() =>
  z.strictObject({
    refresh: scanId(),
    requestedAt: timestamp(),
    stale: z
      .strictObject({ since: timestamp(), reason: z.string().max(1_000) })
      .optional()
      .describe(
        'When the oldest answer of the service came, and why there is no later one; absent while facts are fresh.',
      ),
  }),
);

export type CheckFreshness = z.infer<ReturnType<typeof schema>>;

/** Alerts when what the fleet knows is out of date, and when it no longer is. */
export const CHECK_FRESHNESS: JobType<CheckFreshness> = {
  name: 'check-freshness',
  version: 1,
  schema,
  key: ({ refresh }) => `freshness.${refresh}`,
};

/** The job that opens or resolves the finding about the facts of the fleet; none when `state`, that of its target, says the same. `last`: the last refresh that ended. */
export function freshnessDue(
  freshness: Freshness,
  { state, last }: { readonly state: TargetState | undefined; readonly last: RefreshRecord | undefined },
  due: Date,
): readonly FollowUp[] {
  const { oldest, stale } = freshness;
  if (stale > 0 === isOpen(state)) return [];
  const requestedAt = due.toISOString();
  const refresh = `facts.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  if (stale === 0) return [followUp(CHECK_FRESHNESS, { refresh, requestedAt })];
  const since = oldest === undefined ? requestedAt : new Date(oldest).toISOString();
  const what = `${stale} package version${stale === 1 ? ' or advisory' : 's and advisories'}`;
  const reason = `${what}: ${unansweredReason(freshness, last) ?? 'they were not looked up again'}`.slice(
    0,
    1_000,
  );
  return [followUp(CHECK_FRESHNESS, { refresh, requestedAt, stale: { since, reason } })];
}

/** Whether the finding is open. `state`: that of its target. */
export function isOpen(state: TargetState | undefined): boolean {
  return state?.findings.some(({ status }) => status === 'open') === true;
}
