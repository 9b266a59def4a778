import { maxSatisfying, validRange } from 'semver';
import { formatVersionKey, type VersionKey } from '../../model/version-record.ts';
import type { IndexedPackage, IndexedVersion } from './data-set.ts';

interface Node {
  readonly versionKey: VersionKey;
  bundled: boolean;
  relation: 'SELF' | 'DIRECT' | 'INDIRECT';
  readonly errors: string[];
}

interface Edge {
  readonly fromNode: number;
  readonly toNode: number;
  readonly requirement: string;
}

/** A Dependencies object (package-insights API, "Dependency graph"). */
export interface Graph {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly error: string;
}

/**
 * Resolves the graph of a version within the index: each requirement takes the greatest version that satisfies it.
 * Only versions with requirements of their own stand for choice, so a graph never ends where it should go on.
 */
export function resolveGraph(
  root: { readonly indexed: IndexedVersion; readonly package: IndexedPackage },
  find: (name: string) => IndexedPackage | undefined,
): Graph {
  const { system } = root.package;
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  const indexes = new Map<string, number>();
  const pending: { indexed: IndexedVersion; index: number }[] = [];

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

  visit(root.package.name, root.indexed, 'SELF');
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { indexed, index } = next;
    const wanted = { ...indexed.dependencies, ...indexed.optionalDependencies };
    for (const [alias, requirement] of Object.entries(wanted)) {
      const { name, range } = readRequirement(alias, requirement);
      const chosen = choose(find(name), range);
      if (chosen === undefined) {
        nodes[index]?.errors.push(`no version of ${name} satisfies ${requirement}`);
        continue;
      }
      const toNode = visit(name, chosen, index === 0 ? 'DIRECT' : 'INDIRECT');
      edges.push({ fromNode: index, toNode, requirement });
    }
  }
  return { nodes, edges, error: '' };
}

/** `npm:` in a requirement names another package than its key does. */
function readRequirement(alias: string, requirement: string): { name: string; range: string } {
  const [, name, range] = /^npm:(.+?)(?:@([^@]*))?$/.exec(requirement) ?? [];
  return name === undefined ? { name: alias, range: requirement } : { name, range: range ?? '*' };
}

function choose(candidate: IndexedPackage | undefined, range: string): IndexedVersion | undefined {
  if (candidate === undefined || validRange(range) === null) return undefined;
  const versions = candidate.versions.filter(({ dependencies }) => dependencies !== undefined);
  const best = maxSatisfying(
    versions.map(({ version }) => version),
    range,
  );
  return versions.find(({ version }) => version === best);
}
