import type { Advisory, CollectedAdvisories } from '../../model/scan/advisory.ts';
import type { DependencyGraph, ExpandedDependencies } from '../../model/scan/dependency-graph.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import { formatVersionKey } from '../../model/scan/version-key.ts';
import { fetchAll } from '../fetch-all.ts';
import type { RunContext } from '../job.ts';
import type { Ports } from '../ports.ts';
import { keysToExpand } from '../scan/follow-ups.ts';
import { knownAdvisories } from '../scan/newer-facts.ts';
import { referredAdvisories } from '../scan/referred-advisories.ts';

/** The advisories that an inventory refers to: those that the fleet knows, and the others from the service. */
export async function storedAdvisories(
  inventory: Inventory,
  { facts, insights }: Pick<Ports, 'facts' | 'insights'>,
  context: RunContext,
): Promise<{ readonly byId: ReadonlyMap<string, Advisory>; readonly part: CollectedAdvisories }> {
  const known = await knownAdvisories(inventory, facts);
  const unknown = [...(await referredAdvisories(inventory))].filter((id) => !known.has(id));
  const fetched = await fetchAll(
    unknown,
    (id) => insights.advisory(id, context.signal),
    (id) => `advisory ${id}`,
    context,
  );
  const byId = new Map([...known, ...fetched.found.map(({ key, fact }) => [key, fact] as const)]);
  const failed = [
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
