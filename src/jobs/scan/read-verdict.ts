import type { Verdict } from '../../model/scan/verdict.ts';
import { VERDICT } from '../../model/stored/catalog.ts';
import { CHECK_CONTRACT } from '../payloads/check-contract.ts';
import { FIND_BASE_IMAGE } from '../payloads/find-base-image.ts';
import { JUDGE_SCAN } from '../payloads/judge-scan.ts';
import { JUDGE_TARGET } from '../payloads/judge-target.ts';
import { JUDGE_SOURCE } from '../payloads/sources/judge-source.ts';
import type { OutcomePort } from '../ports.ts';
import { CHECK_FRESHNESS } from '../refresh/check-freshness.ts';

/** Jobs whose outcome is a verdict. */
const JUDGES = [
  JUDGE_SCAN.name,
  CHECK_CONTRACT.name,
  JUDGE_SOURCE.name,
  CHECK_FRESHNESS.name,
  JUDGE_TARGET.name,
  FIND_BASE_IMAGE.name,
];

/** The verdict of a scan or contract check; `undefined` when it is not in the store. */
export async function readVerdict(outcomes: OutcomePort, scan: string): Promise<Verdict | undefined> {
  for (const job of JUDGES) {
    const verdict = await outcomes.read(VERDICT, job, scan);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}
