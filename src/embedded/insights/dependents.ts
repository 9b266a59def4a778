import { formatVersionKey, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { Graph } from './graph.ts';

/** The number of packages that depend on each version, computed from resolved graphs as the service does. */
export class DependentCounts {
  readonly #counts = new Map<string, Record<'direct' | 'indirect', Set<string>>>();

  constructor(graphs: Iterable<Graph>) {
    for (const { nodes } of graphs) {
      const dependent = nodes[0]?.versionKey.name ?? '';
      for (const { versionKey, relation } of nodes) {
        if (relation === 'SELF') continue;
        const id = formatVersionKey(versionKey);
        const counts = this.#counts.get(id) ?? { direct: new Set(), indirect: new Set() };
        this.#counts.set(id, counts);
        counts[relation === 'DIRECT' ? 'direct' : 'indirect'].add(dependent);
      }
    }
  }

  /** A Dependents object; a package with direct and indirect dependencies counts once in the sum. */
  of(key: VersionKey): Record<string, number> {
    const { direct, indirect } = this.#counts.get(formatVersionKey(key)) ?? {};
    return {
      dependentCount: new Set([...(direct ?? []), ...(indirect ?? [])]).size,
      directDependentCount: direct?.size ?? 0,
      indirectDependentCount: indirect?.size ?? 0,
    };
  }
}
