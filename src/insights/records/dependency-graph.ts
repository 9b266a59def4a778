import type * as api from '../../model/api/insights-api.generated.ts';
import type { DependencyGraph } from '../../model/lockfile/dependency-graph.ts';
import { formatVersionKey } from '../../model/lockfile/ecosystem.ts';
import { type Answer, formatProblem } from '../answered.ts';
import { readVersionKey } from './version-record.ts';

type Node = DependencyGraph['nodes'][number];

/** A resolved graph. Throws `InsightsError` (`contract`) when a node does not name its version. */
export function readDependencyGraph({ value, problems }: Answer<api.Dependencies>): DependencyGraph {
  const errors = problems.map(formatProblem);
  const { error = '' } = value;
  if (error !== '') errors.push(error);
  const nodes = (value.nodes ?? []).map((node) => readNode(node, errors));
  const edges = (value.edges ?? []).flatMap(({ fromNode: from, toNode: to, requirement }, index) => {
    // The service sends 0 for the root, so an absent end is not the root.
    if (from === undefined || to === undefined) {
      errors.push(`edge ${index} has an end that could not be read`);
      return [];
    }
    if (nodes[from] !== undefined && nodes[to] !== undefined) {
      return [{ from, to, ...(requirement === undefined ? {} : { requirement }) }];
    }
    errors.push(`edge ${index} leads from node ${from} to node ${to}, and there are ${nodes.length}`);
    return [];
  });
  return { nodes, edges, errors };
}

function readNode(node: api.DependencyNode, errors: string[]): Node {
  const versionKey = readVersionKey(node.versionKey);
  for (const error of node.errors ?? []) errors.push(`${formatVersionKey(versionKey)}: ${error}`);
  const { relation } = node;
  if (relation === 'SELF' || relation === 'DIRECT') return { versionKey, relation };
  return { versionKey, relation: 'INDIRECT' };
}
