import type { Verdict } from '../../model/scan/verdict.ts';
import { VERDICT } from '../../model/stored/catalog.ts';
import type { OutcomePort } from '../ports.ts';

/** Jobs whose outcome is a verdict. */
const JUDGES = ['judge-scan', 'check-contract'] as const;

/** The verdict of a scan, from whichever job it is; `undefined` when it is not stored. */
export async function readVerdict(outcomes: OutcomePort, scan: string): Promise<Verdict | undefined> {
  for (const job of JUDGES) {
    const verdict = await outcomes.read(VERDICT, job, scan);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}
