import { chunks } from '../../model/chunks.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import type { Target } from '../../model/scan/target.ts';
import { mapInSlices, sortInSlices } from '../../model/yielding.ts';
import { compareText } from '../../policy/finding-order.ts';
import { keysToExpand } from '../../scan/graphs.ts';
import { COLLECT_ADVISORIES } from '../collect-advisories.ts';
import { EXPAND_DEPENDENCIES } from '../expand-dependencies.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import { JUDGE_SCAN } from '../payloads/judge-scan.ts';

/** The fields that all jobs of a scan have. */
export interface ScanHeader {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly partial?: boolean | undefined;
}

/** Few, so that a failed job loses little. */
const ADVISORIES_PER_JOB = 50;
/** One flow queues all of them: more advisories make larger jobs, not more. */
const MAX_ADVISORY_JOBS = 500;
/** The limit of the payload. */
const MAX_ADVISORIES_PER_JOB = 1_000;
const GRAPHS_PER_JOB = 25;

/** The flow that follows an inventory: `judge-scan`, with the jobs that fetch its facts as children. */
export async function scanFollowUps(
  header: ScanHeader,
  inventory: Inventory,
  /** The advisories to fetch. */
  referred: readonly string[],
): Promise<FollowUp> {
  const { scan, target, requestedAt } = header;
  const ids = await sortInSlices([...referred], compareText);
  const advisories = chunks(ids, advisoriesPerJob(ids.length));
  const expansions = chunks(keysToExpand(inventory), GRAPHS_PER_JOB);
  return followUp(
    JUDGE_SCAN,
    {
      scan,
      target,
      requestedAt,
      advisoryParts: advisories.length,
      expansionParts: expansions.length,
      // Absent when false, so that workers of release 0.1.0 accept the job.
      ...(header.partial === true ? { partial: true as const } : {}),
    },
    [
      ...(await mapInSlices(advisories, (part, index) =>
        followUp(COLLECT_ADVISORIES, { scan, part: index, ids: [...part] }),
      )),
      ...expansions.map((versionKeys, part) =>
        followUp(EXPAND_DEPENDENCIES, { scan, part, versionKeys: [...versionKeys] }),
      ),
    ],
  );
}

function advisoriesPerJob(count: number): number {
  const even = Math.ceil(count / MAX_ADVISORY_JOBS);
  return Math.min(Math.max(ADVISORIES_PER_JOB, even), MAX_ADVISORIES_PER_JOB);
}
