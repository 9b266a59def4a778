import { formatVersionKey, type VersionKey } from '../../model/scan/version-key.ts';
import type { Graph } from './graph.ts';

interface Counts {
  readonly direct: Set<string>;
  readonly indirect: Set<string>;
}

/** How many packages depend on each version, worked out of resolved graphs as the service does. */
export class DependentCounts {
  readonly #counts = new Map<string, Counts>();

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

  /** A Dependents object; a package that depends both ways through its versions counts once in the sum. */
  of(key: VersionKey): Record<string, number> {
    const { direct, indirect } = this.#counts.get(formatVersionKey(key)) ?? {};
    return {
      dependentCount: new Set([...(direct ?? []), ...(indirect ?? [])]).size,
      directDependentCount: direct?.size ?? 0,
      indirectDependentCount: indirect?.size ?? 0,
    };
  }
}
