import type { Dependencies, DependencyNode, VersionKey } from '../model/api/insights-api.generated.ts';
import { printable } from '../model/printable.ts';
import { counted, type Palette, palette, type TextOptions } from './layout.ts';

interface Drawing {
  readonly nodes: readonly DependencyNode[];
  readonly children: ReadonlyMap<number, readonly { readonly node: number; readonly requirement: string }[]>;
  readonly drawn: Set<number>;
  readonly paint: Palette;
  readonly out: string[];
}

/**
 * The graph as a tree from its root: each node with relation, requirement and errors. The dependencies of a node are drawn
 * once, at its first occurrence.
 */
export function renderDependencyTree(graph: Dependencies, options: TextOptions): string {
  const { nodes = [], error = '' } = graph;
  const edges = readableEdges(graph);
  const unread = (graph.edges?.length ?? 0) - edges.length;
  const children = Map.groupBy(edges, ({ from }) => from);
  const drawing: Drawing = { nodes, children, drawn: new Set(), paint: palette(options.colour), out: [] };
  if (nodes.length > 0) draw(drawing, 0);
  for (const index of nodes.keys()) {
    if (!drawing.drawn.has(index)) draw(drawing, index);
  }
  const problems = [
    ...(unread === 0 ? [] : [`${counted(unread, 'edge')} could not be read.`]),
    ...(error === '' ? [] : [`The graph has an error: ${printable(error)}`]),
  ];
  // Wrapped lines would break the tree.
  return `${[
    ...drawing.out,
    ...problems.map(drawing.paint.bad),
    graph.nodes === undefined
      ? drawing.paint.bad('The nodes could not be read.')
      : totals(nodes, drawing.paint),
  ].join('\n')}\n`;
}

function totals(nodes: readonly DependencyNode[], paint: Palette): string {
  const direct = nodes.filter(({ relation }) => relation === 'DIRECT').length;
  const indirect = nodes.filter(({ relation }) => relation === 'INDIRECT').length;
  const failed = nodes.filter(({ errors = [] }) => errors.length > 0).length;
  const errors =
    failed === 0 ? '' : `; ${paint.bad(counted(failed, 'node with errors', 'nodes with errors'))}`;
  return `${counted(direct + indirect, 'dependency', 'dependencies')}: ${direct} direct, ${indirect} indirect${errors}`;
}

/** Leaves out edges without an end: the service sends 0 for the root, so an absent end is not the root. */
function readableEdges({ edges = [] }: Dependencies) {
  return edges.flatMap(({ fromNode: from, toNode: node, requirement = '' }) =>
    from === undefined || node === undefined ? [] : [{ from, node, requirement }],
  );
}

interface Line {
  readonly node: number;
  readonly requirement: string | undefined;
  /** The texts before the line of the node itself, and before the lines below it. */
  readonly head: string;
  readonly below: string;
}

/** Uses its own stack: a graph may be deeper than the call stack allows. */
function draw(drawing: Drawing, root: number): void {
  const stack: Line[] = [{ node: root, requirement: undefined, head: '', below: '' }];
  for (let line = stack.pop(); line !== undefined; line = stack.pop()) {
    const { node, below } = line;
    const isRepeated = drawing.drawn.has(node);
    const hanging = drawing.children.get(node) ?? [];
    drawing.drawn.add(node);
    drawing.out.push(...nodeLines(drawing, line, isRepeated && hanging.length > 0));
    if (isRepeated) continue;
    const next = hanging.map((child, index): Line => {
      const last = index === hanging.length - 1;
      return { ...child, head: below + (last ? '└─ ' : '├─ '), below: below + (last ? '   ' : '│  ') };
    });
    stack.push(...next.reverse());
  }
}

function nodeLines({ nodes, paint }: Drawing, line: Line, isRepeated: boolean): readonly string[] {
  const { versionKey, relation, bundled, errors = [] } = nodes[line.node] ?? {};
  const { system, name = '', version = '' } = versionKey ?? {};
  const title = line.head === '' ? keyText({ system, name, version }) : `${name} ${version}`;
  const marks = [
    relation === undefined ? 'no such node' : relation.toLowerCase(),
    ...(bundled === true ? ['bundled'] : []),
    ...(isRepeated ? ['see above'] : []),
  ].join(', ');
  const requirement = line.requirement === undefined ? '' : `  ${printable(line.requirement)}`;
  return [
    `${paint.faint(line.head)}${paint.strong(printable(title))}${requirement}  ${paint.faint(`(${printable(marks)})`)}`,
    ...errors.map((error) => `${paint.faint(line.below)}  ${paint.bad(`! ${printable(error)}`)}`),
  ];
}

/** `NPM lodash 4.17.21`. */
export function keyText(key: { readonly [Part in keyof VersionKey]?: string | undefined } = {}): string {
  const { system, name, version } = key;
  return [system, name, version].filter((part) => part !== undefined && part !== '').join(' ');
}
