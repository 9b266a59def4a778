import type { Verdict } from '../../model/scan/verdict.ts';
import { type ComparisonRules, compareScan, type JudgedScan } from '../../scan/compare.ts';
import type { JobRun } from '../job.ts';
import type { Ports } from '../ports.ts';
import { comparisonRules } from './comparison-rules.ts';
import { deliveriesOf } from './deliveries.ts';
import { type KnownAdvice, NO_ADVICE } from './known-advice.ts';
import { judgedRecord } from './record.ts';
import { targetChange } from './target-change.ts';

interface RecordedScan extends JudgedScan {
  readonly advice?: KnownAdvice;
  /** The settings by which it is compared, where they were read before. */
  readonly rules?: ComparisonRules;
}

/** Compares a judged scan with the state of its target. The runtime saves the new state atomically with the verdict. */
export async function recordVerdict(
  judged: RecordedScan,
  ports: Pick<Ports, 'routing' | 'policy'>,
): Promise<JobRun<Verdict>> {
  const { advice = NO_ADVICE } = judged;
  const rules = judged.rules ?? (await comparisonRules(ports));
  const { verdict, routed, resolved, replaces, state, lockfiles } = await compareScan(judged, rules);
  if (state === undefined) {
    return { result: verdict, next: [], ...(verdict.superseded ? { record: judgedRecord(verdict, 0) } : {}) };
  }
  const { next, filed, digests } = deliveriesOf(verdict, routed, resolved);
  return {
    result: verdict,
    next: [...next, ...advice.next],
    deliveries: filed,
    record: judgedRecord(verdict, filed.length),
    state: targetChange(verdict, { replaces, state, digests }, lockfiles),
  };
}
