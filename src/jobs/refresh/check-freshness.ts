import { z } from 'zod';
import type { RefreshRecord } from '../../model/fleet/refresh.ts';
import { type Freshness, unansweredReason } from '../../model/fleet/refresh.ts';
import { lazily } from '../../model/lazily.ts';
import type { TargetState } from '../../model/scan/change.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { VERDICT } from '../../model/stored/catalog.ts';
import type { StoredKind } from '../../model/stored/kind.ts';
import { staleFacts } from '../../policy/stale-facts.ts';
import { type FollowUp, followUp, type Job } from '../job.ts';
import { scanId, timestamp } from '../payloads/fields.ts';
import { recordVerdict } from '../scan/record-verdict.ts';

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

type CheckFreshness = z.infer<ReturnType<typeof schema>>;

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
  if (stale === 0) return [followUp(checkFreshness, { refresh, requestedAt })];
  const since = oldest === undefined ? requestedAt : new Date(oldest).toISOString();
  const what = `${stale} package version${stale === 1 ? ' or advisory' : 's and advisories'}`;
  const reason = `${what}: ${unansweredReason(freshness, last) ?? 'they were not looked up again'}`.slice(
    0,
    1_000,
  );
  return [followUp(checkFreshness, { refresh, requestedAt, stale: { since, reason } })];
}

/** Whether the finding is open. `state`: that of its target. */
export function isOpen(state: TargetState | undefined): boolean {
  return state?.findings.some(({ status }) => status === 'open') === true;
}

/** The finding about the facts of the fleet belongs to this target. */
export const FLEET_TARGET = { id: 'lockhound:fleet', labels: {} } as const;

/** Opens one finding when the service has not answered about a package for `watch.staleAfter`, and resolves it when it does again. */
export const checkFreshness: Job<CheckFreshness, Verdict | null, 'targets' | 'routing' | 'policy'> = {
  name: 'check-freshness',
  version: 1,
  schema,
  key: ({ refresh }) => `freshness.${refresh}`,
  limits: { attempts: 20, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 120_000, concurrency: 1 },
  // `null`: there is nothing to say.
  resultKind: VERDICT as StoredKind<Verdict | null>,
  async run(payload, ports, { startedAt }) {
    const { requestedAt, stale } = payload;
    const before = await ports.targets.read(FLEET_TARGET.id);
    if ((stale !== undefined) === isOpen(before)) return { result: null, next: [] };
    return await recordVerdict(
      {
        scan: checkFreshness.key(payload),
        target: FLEET_TARGET,
        requestedAt,
        judgedAt: startedAt,
        findings: stale === undefined ? [] : [staleFacts(FLEET_TARGET.id, stale.since, stale.reason)],
        partial: false,
        paths: [],
        stillOpen: () => undefined,
        gaps: [],
        firstScan: 'all',
        previous: before,
      },
      ports,
    );
  },
  spent: 'own',
};
