import type { DependencyGraph } from '../model/dependency-graph.ts';
import { formatVersionKey, type System } from '../model/version-record.ts';
import { fieldsOf, listOf, numberOf, textOf, textsOf } from './answer.ts';
import { readVersionKey } from './version-record.ts';

type Node = DependencyGraph['nodes'][number];

/** Systems with resolved graphs ("Operation rules"). */
const WITH_GRAPHS: ReadonlySet<System> = new Set<System>(['NPM', 'CARGO', 'MAVEN', 'PYPI']);

export function hasDependencyGraphs(system: System): boolean {
  return WITH_GRAPHS.has(system);
}

/** A resolved graph. Throws `InsightsError` (`contract`) where it is not as promised. */
export function readDependencyGraph(value: unknown, at: string): DependencyGraph {
  const graph = fieldsOf(value, at);
  const errors: string[] = [];
  const graphError = textOf(graph, 'error', at);
  if (graphError !== '') errors.push(graphError);
  const nodes = listOf(graph, 'nodes', at).map((node, index) =>
    readNode(node, `${at}.nodes[${index}]`, errors),
  );
  const edges = listOf(graph, 'edges', at).flatMap((value, index) => {
    const place = `${at}.edges[${index}]`;
    const edge = fieldsOf(value, place);
    const from = numberOf(edge, 'fromNode', place);
    const to = numberOf(edge, 'toNode', place);
    if (nodes[from] !== undefined && nodes[to] !== undefined) return [{ from, to }];
    errors.push(`edge ${index} leads from node ${from} to node ${to}, and there are ${nodes.length}`);
    return [];
  });
  return { nodes, edges, errors };
}

function readNode(value: unknown, at: string, errors: string[]): Node {
  const node = fieldsOf(value, at);
  const versionKey = readVersionKey(node['versionKey'], `${at}.versionKey`);
  for (const error of textsOf(node, 'errors', at)) errors.push(`${formatVersionKey(versionKey)}: ${error}`);
  const relation = textOf(node, 'relation', at);
  if (relation === 'SELF' || relation === 'DIRECT') return { versionKey, relation };
  return { versionKey, relation: 'INDIRECT' };
}
