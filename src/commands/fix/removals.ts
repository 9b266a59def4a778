import { planRemovals } from '../../advice/remove-exceptions.ts';
import type { RemovalPlan } from '../../model/advice/fix-plan.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { judgeExceptions } from '../../policy/exceptions/judge.ts';

/** The plans that remove the exceptions of a scan that change nothing. */
export function removalsIn({ inventory, verdict }: ScanReport): readonly RemovalPlan[] {
  const { lockfiles, unread } = inventory;
  const judged = judgeExceptions({
    ...{ lockfiles, unread: unread.map(({ path }) => path), now: Date.now() },
    ...{ findings: verdict.findings, complete: verdict.complete },
  });
  return planRemovals(lockfiles, judged);
}
