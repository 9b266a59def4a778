import type { Inventory, LockfileInventory } from '../../model/scan/inventory.ts';
import type { Target } from '../../model/scan/target.ts';
import { formatVersionKey, type VersionKey } from '../../model/scan/version-key.ts';
import { mapInTurns, sortInTurns } from '../../model/turns.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import { COLLECT_ADVISORIES } from '../payloads/collect-advisories.ts';
import { EXPAND_DEPENDENCIES } from '../payloads/expand-dependencies.ts';
import { JUDGE_SCAN } from '../payloads/judge-scan.ts';
import { referredAdvisories } from './referred-advisories.ts';

/** What every job of a scan is told. */
export interface ScanHeader {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly partial?: boolean | undefined;
}

/** So that a job that fails takes little with it. */
const ADVISORIES_PER_JOB = 50;
/** More advisories make larger jobs, not more of them: they are all queued, and waited for, in one flow. */
const MOST_ADVISORY_JOBS = 500;
/** What the payload holds. */
const MOST_ADVISORIES_PER_JOB = 1_000;
const GRAPHS_PER_JOB = 25;

/** The flow that follows an inventory: `judge-scan` over the jobs that fetch what the inventory refers to. */
export async function scanFollowUps(header: ScanHeader, inventory: Inventory): Promise<FollowUp> {
  const { scan, target, requestedAt } = header;
  const ids = await sortInTurns([...(await referredAdvisories(inventory))], compareText);
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
      // Left out where it says nothing, so that workers of release 0.1.0 take the job too.
      ...(header.partial === true ? { partial: true as const } : {}),
    },
    [
      ...(await mapInTurns(advisories, (part, index) =>
        followUp(COLLECT_ADVISORIES, { scan, part: index, ids: [...part] }),
      )),
      ...expansions.map((versionKeys, part) =>
        followUp(EXPAND_DEPENDENCIES, { scan, part, versionKeys: [...versionKeys] }),
      ),
    ],
  );
}

function advisoriesPerJob(count: number): number {
  const even = Math.ceil(count / MOST_ADVISORY_JOBS);
  return Math.min(Math.max(ADVISORIES_PER_JOB, even), MOST_ADVISORIES_PER_JOB);
}

function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/**
 * Version keys whose dependency graph the service is asked for: the direct packages of files that hold no edges
 * themselves, where something else in the file is worth a path. Systems without graphs are left out.
 */
function keysToExpand(inventory: Inventory): readonly VersionKey[] {
  const keys = new Map<string, VersionKey>();
  for (const file of inventory.lockfiles) {
    if (!needsPaths(file)) continue;
    for (const { direct, resolution } of file.packages) {
      const key = resolution.record?.versionKey;
      if (direct !== false && key !== undefined && HAS_GRAPHS.has(key.system)) {
        keys.set(formatVersionKey(key), key);
      }
    }
  }
  return [...keys.values()];
}

/** GetDependencies is available for these (package-insights API, "Operation rules"). */
const HAS_GRAPHS: ReadonlySet<string> = new Set(['NPM', 'CARGO', 'MAVEN', 'PYPI']);

function needsPaths(file: LockfileInventory): boolean {
  const hasEdges = file.packages.some((locked) => locked.dependencies !== undefined);
  return (
    !hasEdges &&
    file.packages.some(
      ({ direct, resolution }) =>
        direct !== true &&
        (resolution.outcome === 'missing' ||
          resolution.record?.isDeprecated === true ||
          (resolution.record?.advisoryIds.length ?? 0) > 0),
    )
  );
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}
