import type { DependencyGraph, ExpandedDependencies } from '../model/lockfile/dependency-graph.ts';
import { formatVersionKey, type VersionKey } from '../model/lockfile/ecosystem.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Gap } from '../model/scan/gap.ts';
import type { Inventory, ResolvedLockfile } from '../model/scan/inventory.ts';
import { type Attempt, fetchAll } from './attempt.ts';

/** GetDependencies is available for these (package-insights API, "Operation rules"). */
const HAS_GRAPHS: ReadonlySet<string> = new Set(['NPM', 'CARGO', 'MAVEN', 'PYPI']);

/**
 * Version keys whose dependency graphs are fetched: the direct packages of lockfiles without edges that have findings on
 * transitive packages. Systems without graphs are skipped.
 */
export function keysToExpand(inventory: Inventory): readonly VersionKey[] {
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

/** Fetches dependency graphs through the cache. One that cannot be fetched does not fail the others. Throws `IncompleteError`. */
export async function fetchGraphs(
  keys: readonly VersionKey[],
  insights: Pick<Insights, 'dependencies'>,
  attempt: Attempt,
): Promise<ExpandedDependencies> {
  const { found, failed } = await fetchAll(
    keys,
    (key) => insights.dependencies(key, attempt.signal),
    (key) => `dependencies of ${formatVersionKey(key)}`,
    attempt,
  );
  return {
    graphs: found.map(({ key, fact }) => ({ versionKey: key, graph: fact })),
    failed: failed.map(({ key, reason }) => ({ versionKey: key, reason })),
  };
}

/** The dependency graphs of a scan, and which of them could not be found out. */
export interface ScanGraphs {
  readonly byKey: ReadonlyMap<string, DependencyGraph>;
  readonly gaps: readonly Gap[];
}

/** The graphs that were fetched in parts; `undefined` for a part that failed permanently. */
export function graphsIn(parts: readonly (ExpandedDependencies | undefined)[]): ScanGraphs {
  const graphs = parts.flatMap((part) => part?.graphs ?? []);
  return {
    byKey: new Map(graphs.map(({ versionKey, graph }) => [formatVersionKey(versionKey), graph])),
    gaps: parts.flatMap((part, index): readonly Gap[] =>
      part === undefined
        ? [{ kind: 'dependencies', subject: `part ${index}`, reason: 'its job failed permanently' }]
        : part.failed.map(({ versionKey, reason }) => ({
            kind: 'dependencies',
            subject: formatVersionKey(versionKey),
            reason,
          })),
    ),
  };
}

function needsPaths(file: ResolvedLockfile): boolean {
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
