import type { Verdict } from '../../model/scan/verdict.ts';
import { VERDICT } from '../../model/stored/catalog.ts';
import type { StoredKind } from '../../model/stored/kind.ts';
import { staleFacts } from '../../policy/stale-facts.ts';
import type { Job } from '../job.ts';
import { CHECK_FRESHNESS, type CheckFreshness, isOpen } from '../payloads/check-freshness.ts';
import { recordVerdict } from '../scan/record-verdict.ts';

/** The finding about the facts of the fleet belongs to this target. */
export const FLEET_TARGET = { id: 'lockhound:fleet', labels: {} } as const;

/** Opens one finding when the service has not answered about a package for `watch.staleAfter`, and resolves it when it does again. */
export const checkFreshness: Job<CheckFreshness, Verdict | null, 'targets' | 'routing' | 'policy'> = {
  ...CHECK_FRESHNESS,
  limits: { attempts: 20, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 120_000, concurrency: 1 },
  // `null`: there is nothing to say.
  resultKind: VERDICT as StoredKind<Verdict | null>,
  async run(payload, ports, { startedAt }) {
    const { requestedAt, stale } = payload;
    const before = await ports.targets.read(FLEET_TARGET.id);
    if ((stale !== undefined) === isOpen(before)) return { result: null, next: [] };
    return await recordVerdict(
      {
        scan: CHECK_FRESHNESS.key(payload),
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
  spent: (payload) => ({
    marked: [{ job: CHECK_FRESHNESS.name, key: CHECK_FRESHNESS.key(payload) }],
    removed: [],
  }),
};
