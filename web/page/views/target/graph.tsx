import type { ComponentChildren } from 'preact';
import type { Inventory, InventoryPackage } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ViewHead } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { graphAddress, inventoryAddress, targetAddress } from '../../parts/links.ts';
import { Nothing, Shown, Unnamed } from '../../parts/notice.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';
import { place } from '../../routing/location.ts';
import { findingsAddress } from '../findings/filters.ts';

/** Neighbours that are asked for, and those of a column that are shown; the inventory has the others. */
const [ASKED, SHOWN] = [500, 60];
/** Height of a package with the gap below it, and width of the lines, in pixels. The style sheet has the same. */
const [ROW, WIDTH] = [58, 56];

/** A package of a lockfile between those that need it and those that it needs. Each is a link to its own. */
export function GraphView() {
  const { params } = place.value;
  const target = params.get('target') ?? '';
  const lockfile = params.get('lockfile') ?? undefined;
  const around = params.get('package') ?? undefined;
  const chosen = around === undefined ? { direct: true } : { around };
  const asked = { target, lockfile, ...chosen, pageSize: ASKED };
  const loaded = useLoaded(target === '' ? '' : `graph ${JSON.stringify(asked)}`, (signal) =>
    call('lockhound.targets.inventory', asked, { signal }),
  );
  if (target === '') return <Unnamed title="Dependencies">The address names no target.</Unnamed>;
  return (
    <Shown title="Dependencies" loaded={loaded}>
      {(inventory) => <Walk target={target} around={around} inventory={inventory} />}
    </Shown>
  );
}

interface WalkProps {
  readonly target: string;
  /** Id of the package; absent: the project itself. */
  readonly around: string | undefined;
  readonly inventory: Inventory;
}

function Walk({ target, around, inventory }: WalkProps) {
  const { path, packages, total } = inventory;
  const one = packages.find(({ id }) => id === around);
  const project = graphAddress(target, path);
  return (
    <>
      <ViewHead
        title={around ?? 'Dependencies'}
        note={
          <>
            in <a href={inventoryAddress(target, path)}>{path}</a> of{' '}
            <a href={targetAddress(target)}>{target}</a>
          </>
        }
      />
      {around !== undefined && one === undefined ? (
        <Nothing>
          The lockfile does not have this package. <a href={project}>Direct dependencies</a>
        </Nothing>
      ) : (
        <Columns target={target} one={one} inventory={inventory} />
      )}
      {total > packages.length ? (
        <p class="faint">{counted(total - packages.length, 'further package')} in the inventory.</p>
      ) : null}
    </>
  );
}

interface ColumnsProps {
  readonly target: string;
  /** Absent: the project itself, which needs all packages. */
  readonly one: InventoryPackage | undefined;
  readonly inventory: Inventory;
}

function Columns({ target, one, inventory: { path, packages } }: ColumnsProps) {
  const linkTo = (id?: string): string => graphAddress(target, path, id);
  const needs = new Set(one?.dependencies);
  const above = packages.filter(
    ({ dependencies = [] }) => one !== undefined && dependencies.includes(one.id),
  );
  const below = one === undefined ? packages : packages.filter(({ id }) => needs.has(id));
  const isKnown = one === undefined || one.dependencies !== undefined;
  const ofProject = one?.direct === true ? 1 : 0;
  return (
    <>
      {one === undefined ? null : <Way one={one} linkTo={linkTo} />}
      <div class={one === undefined ? 'walk from-project' : 'walk'}>
        {one === undefined ? null : (
          <>
            <Column title="Needed by" count={above.length + ofProject} packages={above} linkTo={linkTo}>
              {ofProject === 1 ? (
                <li>
                  <a class="node" href={linkTo()}>
                    the project itself
                  </a>
                </li>
              ) : null}
            </Column>
            <Lines count={shownOf(above) + ofProject} />
          </>
        )}
        <section aria-labelledby="walk-here">
          <h2 id="walk-here">Here</h2>
          <div class="node here">
            <strong class="cut">
              {one === undefined ? 'the project itself' : `${one.name} ${one.version}`}
            </strong>
            {one === undefined ? null : <Known one={one} target={target} />}
          </div>
        </section>
        <Lines count={shownOf(below)} isAfter />
        <Column title="Needs" count={isKnown ? below.length : undefined} packages={below} linkTo={linkTo}>
          {isKnown ? null : <li class="faint">not known: the lockfile does not say what a package needs</li>}
        </Column>
      </div>
    </>
  );
}

/** A shortest way from a direct dependency, each step a link. */
function Way({ one, linkTo }: { readonly one: InventoryPackage; readonly linkTo: (id?: string) => string }) {
  const steps = one.dependencyPath.slice(0, -1);
  return (
    <nav class="way" aria-label="A shortest path to it">
      <a href={linkTo()}>project</a>
      {steps.map((id) => (
        <span key={id}>
          {' › '}
          <a href={linkTo(id)}>{id}</a>
        </span>
      ))}
      {' › '}
      {one.id}
    </nav>
  );
}

function Known({ one, target }: { readonly one: InventoryPackage; readonly target: string }) {
  return (
    <>
      {one.severity === undefined ? null : (
        <a href={findingsAddress({ target, package: one.purl })}>
          <SeverityBadge severity={one.severity} /> findings
        </a>
      )}
      {one.outcome === undefined ? null : <span class="faint">{one.outcome}</span>}
      {one.severity === undefined && one.outcome === undefined ? (
        <span class="faint">no open alert</span>
      ) : null}
    </>
  );
}

interface ColumnProps {
  readonly title: string;
  /** Absent: not known. */
  readonly count: number | undefined;
  readonly packages: readonly InventoryPackage[];
  readonly linkTo: (id: string) => string;
  /** The first entry. */
  readonly children: ComponentChildren;
}

function Column({ title, count, packages, linkTo, children }: ColumnProps) {
  const shown = packages.slice(0, SHOWN);
  const id = `walk-${title.replace(' ', '-')}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title} <span class="faint">{count}</span>
      </h2>
      <ul class="plain">
        {children}
        {shown.map((one) => (
          <li key={one.id}>
            <a class="node" href={linkTo(one.id)}>
              <span class="cut">
                {one.name} {one.version}
              </span>
              {one.severity === undefined ? null : <SeverityBadge severity={one.severity} />}
            </a>
          </li>
        ))}
      </ul>
      {packages.length > SHOWN ? <p class="faint">The first {SHOWN} are shown.</p> : null}
    </section>
  );
}

function shownOf(packages: readonly InventoryPackage[]): number {
  return Math.min(SHOWN, packages.length);
}

/** Lines between the package and its neighbours, which lists have as text. */
function Lines({ count, isAfter = false }: { readonly count: number; readonly isAfter?: boolean }) {
  const height = Math.max(1, count) * ROW;
  const middle = ROW / 2;
  return (
    <svg width={WIDTH} height={height} viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true">
      {Array.from({ length: count }, (_, index) => {
        const [left, right] = isAfter ? [middle, index * ROW + middle] : [index * ROW + middle, middle];
        const bend = WIDTH / 2;
        return (
          <path
            key={index}
            class="edge"
            d={`M0 ${left}C${bend} ${left} ${bend} ${right} ${WIDTH} ${right}`}
          />
        );
      })}
    </svg>
  );
}
