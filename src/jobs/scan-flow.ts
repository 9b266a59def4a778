import type { Inventory, LockfileInventory } from '../model/inventory.ts';
import type { Target } from '../model/target.ts';
import { formatVersionKey, type VersionKey } from '../model/version-record.ts';
import { COLLECT_ADVISORIES } from './collect-advisories.payload.ts';
import { EXPAND_DEPENDENCIES } from './expand-dependencies.payload.ts';
import { type FollowUp, followUp } from './follow-up.ts';
import { JUDGE_SCAN } from './judge-scan.payload.ts';
import { referredAdvisories } from './referred-advisories.ts';

/** What every job of a scan is told. */
export interface ScanHeader {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly partial?: boolean | undefined;
}

const ADVISORIES_PER_JOB = 50;
const GRAPHS_PER_JOB = 25;

/** The flow that follows an inventory: `judge-scan` over the jobs that fetch what the inventory refers to. */
export function followScan(header: ScanHeader, inventory: Inventory): FollowUp {
  const { scan, target, requestedAt } = header;
  const advisories = chunks(referredAdvisories(inventory), ADVISORIES_PER_JOB);
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
      ...advisories.map((ids, part) => followUp(COLLECT_ADVISORIES, { scan, part, ids: [...ids] })),
      ...expansions.map((versionKeys, part) =>
        followUp(EXPAND_DEPENDENCIES, { scan, part, versionKeys: [...versionKeys] }),
      ),
    ],
  );
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
