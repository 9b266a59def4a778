import type { ResolvedLockfile } from '../../model/scan/inventory.ts';
import { counted, stringWidth } from '../layout.ts';
import { html, type Markup, NOTHING } from './markup.ts';

const ROW = 30;
const BOX = 22;
/** Pixels of one character of a label, and of the space around it. */
const CHARACTER = 7.3;
const PADDING = 16;
const MAX_LABEL = 30;
const GAP = 44;
/** Wider graphs are scrolled on a narrow screen and not made smaller. */
const WIDE = 640;

interface Placed {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** A graph of packages as SVG: direct dependencies on the left, the package of the finding on the right. */
export function graphSvg({ nodes, edges, omitted }: AncestorGraph, name: string): Markup {
  if (nodes.length < 2) return NOTHING;
  const { placed, width, height } = place(nodes, edges);
  const lines = edges.map(([from, to]) => edge(placed[from], placed[to])).join('');
  const rest =
    omitted === 0
      ? NOTHING
      : html`<p class="faint">${counted(omitted, 'more package')} further away ${omitted === 1 ? 'requires' : 'require'} it.</p>`;
  return html`<div class="graph" tabindex="0" role="group" aria-label="Ways to ${name}"><svg${width > WIDE ? html` class="wide"` : NOTHING} role="img" aria-label="${description(nodes, name)}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><path d="${lines}"/>${placed.map(box)}</svg></div>${rest}`;
}

function description(nodes: readonly GraphNode[], name: string): string {
  const direct = nodes.filter((node) => node.direct && node.distance > 0).map(({ id }) => id);
  return direct.length === 0
    ? `Packages that require ${name}`
    : `${name} is required through ${direct.join(', ')}`;
}

/** Columns by distance. Within a column, packages are near those that they require, so that few edges cross. */
function place(nodes: readonly GraphNode[], edges: AncestorGraph['edges']) {
  const columns = [...Map.groupBy(nodes.keys(), (index) => nodes[index]?.distance ?? 0).entries()]
    .sort(([left], [right]) => left - right)
    .map(([, indexes]) => indexes);
  const widths = columns.map((column) => Math.max(...column.map((index) => labelWidth(nodes[index]))));
  const height = Math.max(...columns.map(({ length }) => length)) * ROW;
  const width = widths.reduce((sum, one) => sum + one + GAP, 2 - GAP / 2);
  const rows = new Map<number, number>();
  const placed: Placed[] = [];
  let right = width - 1;
  for (const [depth, column] of columns.entries()) {
    const middle = (index: number) => {
      const ys = edges.flatMap(([from, to]) => (from === index ? (rows.get(to) ?? []) : []));
      return ys.length === 0 ? 0 : ys.reduce((sum, y) => sum + y, 0) / ys.length;
    };
    const ordered = column
      .map((index) => ({ index, at: middle(index) }))
      .sort((a, b) => a.at - b.at || a.index - b.index);
    const own = widths[depth] ?? 0;
    for (const [row, { index }] of ordered.entries()) {
      const node = nodes[index];
      const y = Math.round((height / ordered.length) * (row + 0.5));
      rows.set(index, y);
      if (node !== undefined) placed[index] = { node, x: right - own, y, width: own };
    }
    right -= own + GAP;
  }
  return { placed, width: Math.ceil(width), height };
}

/** A curve; between packages of one column it bends to the left. */
function edge(from: Placed | undefined, to: Placed | undefined): string {
  if (from === undefined || to === undefined) return '';
  const end = Math.round(to.x);
  if (from.node.distance === to.node.distance) {
    const start = Math.round(from.x);
    return `M${start} ${from.y}C${start - GAP / 2} ${from.y} ${start - GAP / 2} ${to.y} ${end} ${to.y}`;
  }
  const start = Math.round(from.x + from.width);
  const bend = Math.round((end - start) / 2);
  return `M${start} ${from.y}C${start + bend} ${from.y} ${end - bend} ${to.y} ${end} ${to.y}`;
}

function box({ node, x, y, width }: Placed): Markup {
  const kind = node.distance === 0 ? 'found' : node.direct ? 'direct' : 'between';
  const left = Math.round(x);
  const shown = label(node);
  const title = shown === node.id ? NOTHING : html`<title>${node.id}</title>`;
  return html`<g class="${kind}">${title}<rect x="${left}" y="${y - BOX / 2}" width="${Math.round(width)}" height="${BOX}"/><text x="${left + Math.round(width / 2)}" y="${y + 4}">${shown}</text></g>`;
}

function label({ id }: GraphNode): string {
  return stringWidth(id) <= MAX_LABEL ? id : `${id.slice(0, MAX_LABEL - 1)}…`;
}

function labelWidth(node: GraphNode | undefined): number {
  return node === undefined ? 0 : Math.round(stringWidth(label(node)) * CHARACTER + PADDING);
}

/** A package on a way from a direct dependency to the package of a finding. */
interface GraphNode {
  readonly id: string;
  readonly direct: boolean;
  /** Steps to the package of the finding, which has 0. */
  readonly distance: number;
}

/** All ways from the direct dependencies of a lockfile to one of its packages. */
interface AncestorGraph {
  readonly nodes: readonly GraphNode[];
  /** Positions in `nodes`: a package, and one that it depends on. */
  readonly edges: readonly (readonly [from: number, to: number])[];
  /** Packages that require it and are not in `nodes`, because there are too many. */
  readonly omitted: number;
}

/** Packages of a graph: more cannot be read. */
const MAX_NODES = 28;

/** Finds all ways to packages of a lockfile. `undefined` where the lockfile states no edges. */
export function ancestorFinder(lockfile: ResolvedLockfile): (id: string) => AncestorGraph | undefined {
  const byId = new Map(lockfile.packages.map((one) => [one.id, one]));
  const parents = new Map<string, string[]>();
  for (const { id, dependencies } of lockfile.packages) {
    for (const to of dependencies ?? []) {
      const known = parents.get(to);
      if (known === undefined) parents.set(to, [id]);
      else known.push(id);
    }
  }
  const isRoot = rootTest(lockfile, parents);
  return (id) => {
    if (!byId.has(id) || parents.size === 0) return undefined;
    const distances = distancesFrom(id, parents);
    const onWays = reachable(id, distances, parents, isRoot);
    const all = [...distances].filter(([one]) => onWays.has(one));
    const nodes = all.slice(0, MAX_NODES).map(([one, distance]) => ({
      id: one,
      direct: byId.get(one)?.direct === true,
      distance,
    }));
    return { nodes, edges: edgesBetween(nodes, parents), omitted: all.length - nodes.length };
  };
}

type Parents = ReadonlyMap<string, readonly string[]>;

/** Direct dependencies; where the lockfile does not mark them, packages that no other one requires. */
function rootTest({ packages }: ResolvedLockfile, parents: Parents): (id: string) => boolean {
  const direct = new Set(packages.flatMap((one) => (one.direct === true ? [one.id] : [])));
  return direct.size > 0 ? (id) => direct.has(id) : (id) => !parents.has(id);
}

/** Distances of a package and of all that need it, the nearest first. */
function distancesFrom(id: string, parents: Parents): ReadonlyMap<string, number> {
  const distances = new Map([[id, 0]]);
  for (const [one, distance] of distances) {
    for (const parent of parents.get(one) ?? []) {
      if (!distances.has(parent)) distances.set(parent, distance + 1);
    }
  }
  return distances;
}

/** The package, and those that a root reaches without passing through it: others require it only because of a cycle. */
function reachable(
  id: string,
  distances: ReadonlyMap<string, number>,
  parents: Parents,
  isRoot: (id: string) => boolean,
): ReadonlySet<string> {
  const children = new Map<string, string[]>();
  for (const one of distances.keys()) {
    if (one === id) continue;
    for (const parent of parents.get(one) ?? []) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [one]);
      else known.push(one);
    }
  }
  const found = new Set([...distances.keys()].filter((one) => one !== id && isRoot(one)));
  for (const one of found) for (const child of children.get(one) ?? []) found.add(child);
  return found.add(id);
}

/** Edges towards the package; those of cycles lead away from it. */
function edgesBetween(nodes: readonly GraphNode[], parents: Parents): AncestorGraph['edges'] {
  const positions = new Map(nodes.map((node, index) => [node.id, index]));
  return nodes.flatMap((node, to) =>
    (parents.get(node.id) ?? []).flatMap((parent) => {
      const from = positions.get(parent);
      const leads = from !== undefined && from !== to && (nodes[from]?.distance ?? 0) >= node.distance;
      return leads ? [[from, to] as const] : [];
    }),
  );
}
