import { type Saved, upgradeVerdict } from '../../model/release-0-1.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import type { OutcomePort } from '../ports.ts';

/** Jobs whose outcome is a verdict with changes to be told. */
const JUDGES = ['judge-scan', 'check-contract'] as const;

/** The verdict of a scan, whichever job came to it; `undefined` when it is not in the store (any more). */
export async function readVerdict(outcomes: OutcomePort, scan: string): Promise<Verdict | undefined> {
  for (const job of JUDGES) {
    const verdict = (await outcomes.read(job, scan)) as Saved<Verdict> | undefined;
    if (verdict !== undefined) return upgradeVerdict(verdict);
  }
  return undefined;
}
