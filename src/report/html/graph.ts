import { counted, stringWidth } from '../layout.ts';
import type { AncestorGraph, GraphNode } from './ancestors.ts';
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
