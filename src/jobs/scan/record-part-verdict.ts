import type { TargetChange } from '../../model/queue/outcome.ts';
import type { TargetState } from '../../model/scan/change.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import type { ComparedScan } from '../../scan/compare.ts';
import type { JobRun } from '../job.ts';
import { deliveriesOf } from './deliveries.ts';
import { judgedRecord } from './record.ts';
import { targetChange } from './target-change.ts';

/** What is saved of a verdict on one part of a target. */
export function recordPartVerdict(
  { verdict, routed, replaces, state }: ComparedScan,
  previous: TargetState | undefined,
): JobRun<Verdict> {
  if (state === undefined) return { result: verdict, next: [], record: judgedRecord(verdict, 0) };
  const { next, filed, digests } = deliveriesOf(verdict, routed, []);
  return {
    result: verdict,
    next,
    deliveries: filed,
    record: judgedRecord(verdict, filed.length),
    state: withPackages(targetChange(verdict, { replaces, state, digests }, undefined), previous),
  };
}

/** The entry of the target in the list of the fleet keeps its number of packages. Without that number the entry does not change. */
function withPackages(change: TargetChange, previous: TargetState | undefined): TargetChange {
  const { summary, ...others } = change;
  const packages = previous === undefined ? 0 : previous.basis?.counts.packages;
  if (summary === undefined || packages === undefined) return others;
  return { ...others, summary: { ...summary, packages } };
}
