import type { Location } from '../../../../src/model/api/lockhound-api.generated.ts';
import { counted } from '../../parts/format.ts';
import { graphAddress } from '../../parts/links.ts';
import { type GraphNode, graphOf } from './path-graph.ts';

/** Sizes in pixels. Layers follow one another from top to bottom, so that long ways fit narrow windows. */
const [NODE_WIDTH, NODE_HEIGHT, GAP_X, GAP_Y] = [210, 34, 18, 30];
const MAX_TEXT = 27;

interface PathViewProps {
  readonly target: string;
  readonly locations: readonly Location[];
  /** Id of the package, as in paths. */
  readonly found: string;
}

/** The ways from the lockfiles to a package as a graph, and as a list for readers who do not see the picture. */
export function PathView({ target, locations, found }: PathViewProps) {
  const { nodes, edges, layers, leftOut } = graphOf(locations, found);
  const most = Math.max(...layers);
  const width = most * NODE_WIDTH + (most - 1) * GAP_X;
  const height = layers.length * NODE_HEIGHT + (layers.length - 1) * GAP_Y;
  const left = ({ layer, place }: GraphNode): number => {
    const count = layers[layer] ?? 1;
    const own = count * NODE_WIDTH + (count - 1) * GAP_X;
    return (width - own) / 2 + place * (NODE_WIDTH + GAP_X);
  };
  const top = ({ layer }: GraphNode): number => layer * (NODE_HEIGHT + GAP_Y);
  const middle = (node: GraphNode): number => left(node) + NODE_WIDTH / 2;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
      <section class="scroll graph" tabIndex={0} aria-label="Graph of the paths">
        <svg
          width={width + 2}
          height={height + 2}
          viewBox={`-1 -1 ${width + 2} ${height + 2}`}
          aria-hidden="true"
        >
          {edges.map(([from, to]) => {
            const [x1, y1, x2, y2] = [middle(from), top(from) + NODE_HEIGHT, middle(to), top(to)];
            const bend = (y1 + y2) / 2;
            return (
              <path
                key={`${from.id}\n${to.id}`}
                class="edge"
                d={`M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${y2}`}
              />
            );
          })}
          {nodes.map((node) => (
            <g key={node.id} class={`node ${node.kind}`}>
              <title>{node.text}</title>
              <rect x={left(node)} y={top(node)} width={NODE_WIDTH} height={NODE_HEIGHT} rx={6} />
              <text
                x={middle(node)}
                y={top(node) + NODE_HEIGHT / 2}
                text-anchor="middle"
                dominant-baseline="central"
              >
                {shortened(node.text)}
              </text>
            </g>
          ))}
        </svg>
      </section>
      {leftOut > 0 ? <p class="faint">{counted(leftOut, 'further place')} in the list below.</p> : null}
      <details>
        <summary>{counted(locations.length, 'place')} as a list</summary>
        <ul class="paths">
          {locations.map(({ path, line, dependencyPath }) => (
            <li key={`${path} ${line} ${dependencyPath.join(' ')}`}>
              <a href={graphAddress(target, path, dependencyPath.at(-1) ?? found)}>
                <code>{line === undefined ? path : `${path}:${line}`}</code>
              </a>
              {dependencyPath.length === 0 ? null : <> → {dependencyPath.join(' → ')}</>}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

/** The end of a path and the beginning of a name say more. */
function shortened(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return text.includes('/') && !text.includes('@', 1)
    ? `…${text.slice(-(MAX_TEXT - 1))}`
    : `${text.slice(0, MAX_TEXT - 10)}…${text.slice(-9)}`;
}
