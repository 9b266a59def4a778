import maxSatisfying from 'semver/ranges/max-satisfying.js';
import validRange from 'semver/ranges/valid.js';
import { formatVersionKey, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { IndexedPackage, IndexedVersion } from './data-set.ts';

interface Node {
  readonly versionKey: VersionKey;
  readonly bundled: boolean;
  readonly relation: 'SELF' | 'DIRECT' | 'INDIRECT';
  readonly errors: string[];
}

interface Edge {
  readonly fromNode: number;
  readonly toNode: number;
  readonly requirement: string;
}

/** A Dependencies object (package-insights API, "Dependency graph"). */
export type Graph = ReturnType<typeof resolveGraph>;

/**
 * Resolves the graph of a version within the index: each requirement selects the greatest version that satisfies it.
 * Versions with unknown requirements are never selected, so that a graph is always complete.
 */
export function resolveGraph(
  root: { readonly indexed: IndexedVersion; readonly package: IndexedPackage },
  find: (name: string) => IndexedPackage | undefined,
) {
  const { system, name: rootName } = root.package;
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  const indexes = new Map<string, number>();
  /** Nodes whose requirements are not resolved yet. */
  const pending: { readonly indexed: IndexedVersion; readonly index: number }[] = [];

  /** Adds a package in the root's archive; its name encodes the chain. Its dependencies are bundled with it. */
  function bundle({ name, version }: { name: string; version: string }): number {
    const versionKey = { system, name: `${rootName}>${root.indexed.version}>${name}`, version };
    return nodes.push({ versionKey, bundled: true, relation: 'DIRECT', errors: [] }) - 1;
  }

  /** Returns the index of a version's node, adding it when it is new. */
  function visit(name: string, indexed: IndexedVersion, relation: Node['relation']): number {
    const versionKey = { system, name, version: indexed.version };
    const id = formatVersionKey(versionKey);
    const known = indexes.get(id);
    if (known !== undefined) return known;
    const index = nodes.push({ versionKey, bundled: false, relation, errors: [] }) - 1;
    indexes.set(id, index);
    pending.push({ indexed, index });
    return index;
  }

  function follow(indexed: IndexedVersion, fromNode: number): void {
    const wanted = { ...indexed.dependencies, ...indexed.optionalDependencies };
    for (const [alias, requirement] of Object.entries(wanted)) {
      const inside = fromNode === 0 ? indexed.bundled?.find(({ name }) => name === alias) : undefined;
      if (inside !== undefined) {
        edges.push({ fromNode, toNode: bundle(inside), requirement });
        continue;
      }
      const { name, range } = readRequirement(alias, requirement);
      const chosen = selectVersion(find(name), range);
      if (chosen === undefined) {
        nodes[fromNode]?.errors.push(`no version of ${name} satisfies ${requirement}`);
        continue;
      }
      edges.push({
        fromNode,
        toNode: visit(name, chosen, fromNode === 0 ? 'DIRECT' : 'INDIRECT'),
        requirement,
      });
    }
  }

  visit(rootName, root.indexed, 'SELF');
  for (let next = pending.shift(); next !== undefined; next = pending.shift())
    follow(next.indexed, next.index);
  return { nodes, edges, error: '' };
}

/** With `npm:` the requirement names another package than its key. */
export function readRequirement(alias: string, requirement: string): { name: string; range: string } {
  const [, name, range] = /^npm:(.+?)(?:@([^@]*))?$/.exec(requirement) ?? [];
  return name === undefined ? { name: alias, range: requirement } : { name, range: range ?? '*' };
}

/** The greatest version that satisfies a requirement, of those whose own requirements are known. */
export function selectVersion(
  candidate: IndexedPackage | undefined,
  range: string,
): IndexedVersion | undefined {
  if (candidate === undefined || validRange(range) === null) return undefined;
  const versions = candidate.versions.filter(({ dependencies }) => dependencies !== undefined);
  const best = maxSatisfying(
    versions.map(({ version }) => version),
    range,
  );
  return versions.find(({ version }) => version === best);
}
