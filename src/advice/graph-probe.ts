import type { Fix, FixChange } from '../model/advice/fix.ts';
import type { DependencyGraph } from '../model/lockfile/dependency-graph.ts';
import { canonicalName } from '../model/lockfile/spelling.ts';
import type { VersionKey } from '../model/lockfile/version-key.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import { waitsUntil } from './cooldown.ts';
import type { AdviceFacts } from './facts.ts';
import type { Project } from './project.ts';

export type GraphEvidence = Fix['evidence']['graphs'][number];

/** What another version of a locked package would bring. */
export interface GraphQuestion {
  /** The locked package. */
  readonly root: ResolvedPackage;
  /** A package below it. */
  readonly affected: ResolvedPackage;
  readonly project: Project;
  readonly facts: AdviceFacts;
  /** ms since 1970. */
  readonly now: number;
}

/** A graph that was looked at. */
export interface Probe extends GraphEvidence {
  readonly graph: DependencyGraph | undefined;
}

/** Whether a resolved graph has only good versions of the package, or none. A graph with errors proves nothing. */
export async function probeGraph(
  key: VersionKey,
  { affected, facts, project, now }: Omit<GraphQuestion, 'root'>,
): Promise<Probe> {
  const graph = await facts.graph(key);
  const brought = versionsIn(graph, affected, key);
  const keys = brought.map((version) => ({ ...nameKey(affected, key), version }));
  const records = await facts.records(keys);
  const published = brought.length === 0 ? [] : ((await facts.versions(nameKey(affected, key))) ?? []);
  const isLockable = (version: string) =>
    published.every(
      (one) =>
        one.version !== version ||
        waitsUntil(affected.name, one, project.statement.cooldown, now) === undefined,
    );
  const good =
    graph !== undefined &&
    graph.errors.length === 0 &&
    graph.nodes.length > 0 &&
    records.every((record) => record?.advisoryIds.length === 0) &&
    brought.every(isLockable);
  return { name: key.name, version: key.version, brings: [...brought], good, graph };
}

function nameKey({ name }: ResolvedPackage, { system }: VersionKey): Pick<VersionKey, 'system' | 'name'> {
  return { system, name: canonicalName(name, system) };
}

function versionsIn(
  graph: DependencyGraph | undefined,
  { name }: Pick<ResolvedPackage, 'name'>,
  { system }: Pick<VersionKey, 'system'>,
): readonly string[] {
  const wanted = canonicalName(name, system);
  const found = graph?.nodes.filter(({ versionKey }) => versionKey.name === wanted) ?? [];
  return [...new Set(found.map(({ versionKey }) => versionKey.version))];
}

/**
 * The packages between the root of the graph and the affected one that stay locked unless they are locked again: their locked
 * version is not in the graph, and what the graph requires permits it.
 */
export function relocksFor(
  { graph }: Probe,
  { root: holder, affected, project }: GraphQuestion,
): readonly FixChange[] {
  const root = graph?.nodes[0]?.versionKey;
  if (graph === undefined || root === undefined) return [];
  const { system } = root;
  const scheme = schemeOf(system);
  return project.dependents.between(holder.id, affected.id).flatMap((one): readonly FixChange[] => {
    if (one.id === holder.id) return [];
    const versions = versionsIn(graph, one, root);
    const to = versions.toSorted((left, right) => scheme.compare(right, left))[0];
    if (to === undefined || versions.includes(one.version) || !staysLocked(graph, one, scheme, system))
      return [];
    return [{ name: one.name, from: one.version, to, how: 're-lock' }];
  });
}

function staysLocked(
  graph: DependencyGraph,
  { name, version }: ResolvedPackage,
  scheme: ReturnType<typeof schemeOf>,
  system: VersionKey['system'],
): boolean {
  const wanted = canonicalName(name, system);
  return graph.edges.some(({ to, requirement }) => {
    if (graph.nodes[to]?.versionKey.name !== wanted) return false;
    return requirement === undefined || scheme.satisfies(version, requirement) !== false;
  });
}
