import type { DependencyGraph, ExpandedDependencies } from '../../model/lockfile/dependency-graph.ts';
import { formatVersionKey } from '../../model/lockfile/version-key.ts';
import type { Advisory, CollectedAdvisories } from '../../model/scan/advisory.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import { inSlices } from '../../model/yielding.ts';
import { fetchAll } from '../fetch-all.ts';
import type { RunContext } from '../job.ts';
import type { Ports } from '../ports.ts';
import { keysToExpand } from '../scan/follow-ups.ts';
import { knownAdvisories } from '../scan/newer-facts.ts';
import { referredAdvisories } from '../scan/referred-advisories.ts';

/**
 * The advisories that an inventory refers to: those that the fleet knows, those that jobs have fetched, and the others from the
 * cache or the service. What the fleet knows is at least as new as what was fetched.
 */
export async function storedAdvisories(
  inventory: Inventory,
  { facts, insights }: Pick<Ports, 'facts' | 'insights'>,
  context: RunContext,
  /** `undefined` for a job that failed permanently: then nothing more is requested. */
  parts: readonly (CollectedAdvisories | undefined)[] = [],
  /** What the fleet knows, where it was read before. */
  read?: ReadonlyMap<string, Advisory>,
): Promise<{ readonly byId: ReadonlyMap<string, Advisory>; readonly part: CollectedAdvisories }> {
  const collected = new Map<string, Advisory>();
  const unavailable = new Map<string, string>();
  for await (const [part] of inSlices(parts, 1)) {
    for (const one of part?.advisories ?? []) collected.set(one.id, one);
    for (const { id, reason } of part?.failed ?? []) unavailable.set(id, reason);
  }
  const referred = await referredAdvisories(inventory);
  const known = read ?? (await knownAdvisories(referred, facts));
  const isUnknown = (id: string) => !known.has(id) && !collected.has(id) && !unavailable.has(id);
  const unknown = parts.includes(undefined) ? [] : [...referred].filter(isUnknown);
  const fetched = await fetchAll(
    unknown,
    (id) => insights.advisory(id, context.signal),
    (id) => `advisory ${id}`,
    context,
  );
  const byId = new Map([
    ...collected,
    ...known,
    ...fetched.found.map(({ key, fact }) => [key, fact] as const),
  ]);
  const failed = [
    ...[...unavailable].map(([id, reason]) => ({ id, reason })),
    ...fetched.absent.map((id) => ({ id, reason: 'the service has no advisory of this id' })),
    ...fetched.failed.map(({ key, reason }) => ({ id: key, reason })),
  ];
  return { byId, part: { advisories: [...byId.values()], failed } };
}

/** The dependency graphs for the lockfiles without edges, as a scan fetches them. */
export async function storedGraphs(
  inventory: Inventory,
  { insights }: Pick<Ports, 'insights'>,
  context: RunContext,
): Promise<{ readonly byKey: ReadonlyMap<string, DependencyGraph>; readonly part: ExpandedDependencies }> {
  const { found, failed } = await fetchAll(
    keysToExpand(inventory),
    (key) => insights.dependencies(key, context.signal),
    (key) => `dependencies of ${formatVersionKey(key)}`,
    context,
  );
  const graphs = found.map(({ key, fact }) => ({ versionKey: key, graph: fact }));
  return {
    byKey: new Map(graphs.map(({ versionKey, graph }) => [formatVersionKey(versionKey), graph])),
    part: { graphs, failed: failed.map(({ key, reason }) => ({ versionKey: key, reason })) },
  };
}
