import type { Verdict } from '../../model/scan/verdict.ts';
import { VERDICT } from '../../model/stored/catalog.ts';
import { policyFor } from '../../policy/policy-for.ts';
import { isUnwatchedBy, locationOf, unwatchedFinding } from '../../policy/rules/unwatched.ts';
import { comparePart } from '../../scan/compare-part.ts';
import type { Job } from '../job.ts';
import { JUDGE_SOURCE, type JudgeSource } from '../payloads/sources.ts';
import { comparisonRules, logVerdict, recordPartVerdict } from '../scan/record-verdict.ts';

/**
 * Opens the finding `unwatched` of a target whose source cannot be read, or resolves it. The changes are sent in the ordinary way,
 * also for a target that was never scanned.
 */
export const judgeSource: Job<JudgeSource, Verdict, 'schedules' | 'targets' | 'routing' | 'policy'> = {
  ...JUDGE_SOURCE,
  limits: { attempts: 10, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 120_000, concurrency: 2 },
  resultKind: VERDICT,
  async run(payload, ports, { startedAt: judgedAt }) {
    const { scan, schedule, target, requestedAt, address, ref, failing, dropped } = payload;
    // It may have been read since.
    const isFailing =
      failing !== undefined &&
      (await ports.schedules.target(schedule, target.id))?.failing?.since === failing.since;
    const finding = isFailing
      ? unwatchedFinding(
          { target: target.id, schedule, address, ref, reason: failing.reason },
          policyFor(ports.policy.policy(), target),
        )
      : undefined;
    const previous = await ports.targets.read(target.id);
    const hasNothing = previous === undefined && finding === undefined;
    const compared = await comparePart(
      {
        scan,
        target,
        requestedAt,
        judgedAt,
        findings: finding === undefined ? [] : [finding],
        previous,
        part: {
          location: locationOf(schedule),
          has: (one) => isUnwatchedBy(schedule, one),
          judgedAt: previous?.sources?.[schedule],
          state: hasNothing ? undefined : { sources: { ...previous?.sources, [schedule]: requestedAt } },
        },
        gaps: [],
      },
      await comparisonRules(ports),
    );
    // Nothing is known of the target, and there is nothing to find.
    const verdict = hasNothing
      ? { result: compared.verdict, next: [] }
      : recordPartVerdict(compared, previous);
    if (dropped !== true) return verdict;
    return { ...verdict, watch: { kind: 'dropped', schedule, target: target.id } };
  },
  log: ({ scan }, verdict) => logVerdict(scan, verdict),
  spent: 'own',
};
