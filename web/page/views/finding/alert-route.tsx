import type { Delivery, LoggedChange } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { recordedChanges } from '../../api/recorded-changes.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { DeliveryTable } from '../../parts/delivery-table.tsx';
import { counted } from '../../parts/format.ts';
import { scanAddress } from '../../parts/links.ts';
import { Nothing, Shown } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';

/** Deliveries of a target that are looked through: pages, and deliveries of each. */
const [MAX_PAGES, PAGE_SIZE] = [5, 100];

interface AlertRouteProps {
  readonly target: string;
  readonly scan: string;
  readonly requestedAt: string;
  readonly change: LoggedChange;
}

/** The way of a change to its receivers: the scan that saw it, the routes that took it, and each delivery with its attempts. */
export function AlertRoute({ target, scan, requestedAt, change }: AlertRouteProps) {
  const loaded = useLoaded(`route ${scan} ${change.fingerprint} ${change.transition}`, (signal) =>
    loadRoute({ target, scan, requestedAt, change }, signal),
  );
  return (
    <Shown loaded={loaded}>
      {({ routes, deliveries, isCut, accepted }) => (
        <>
          <ol class="route">
            <li>
              <span class={`transition ${change.transition}`}>{change.transition}</span>
            </li>
            <li>
              <a href={scanAddress(scan)}>scan</a>
            </li>
            <li>{routesText(routes)}</li>
            {routes?.length === 0 ? null : <li>{deliveriesText(deliveries, accepted.length, isCut)}</li>}
          </ol>
          {routes?.length === 0 ? (
            <Nothing>No route takes such a change, so that nobody was told.</Nothing>
          ) : null}
          {accepted.map(({ route, at }) => (
            <p key={`${route} ${at}`}>
              The receiver of {route} accepted an alert about this scan <Time at={at} />.
            </p>
          ))}
          {deliveries.length === 0 ? null : (
            <DeliveryTable deliveries={deliveries} onChange={loaded.reload} />
          )}
          {routes
            ?.filter((route) => [...deliveries, ...accepted].every((one) => one.route !== route))
            .map((route) => (
              <p key={route} class="faint">
                {isCut
                  ? `A delivery to ${route} is not among the newest ${MAX_PAGES * PAGE_SIZE} of the target. `
                  : `${route} has no delivery for this scan alone: a digest has it, or it is not kept any more. `}
                <a href="/deliveries">All deliveries</a>
              </p>
            ))}
        </>
      )}
    </Shown>
  );
}

interface Route {
  /** Routes that got the change; absent: not known. */
  readonly routes: readonly string[] | undefined;
  /** Deliveries of the scan by these routes that are kept. */
  readonly deliveries: readonly Delivery[];
  /** Whether the target has more deliveries than were looked through. */
  readonly isCut: boolean;
  /** Alerts about the scan that receivers accepted. */
  readonly accepted: readonly { readonly route: string; readonly at: string }[];
}

async function loadRoute(asked: AlertRouteProps, signal: AbortSignal): Promise<Route> {
  const { target, scan, requestedAt, change } = asked;
  const [{ deliveries, isCut }, { found }] = await Promise.all([
    deliveriesOf(asked, signal),
    recordedChanges(scan, target, requestedAt, signal),
  ]);
  const { purl, advisory, rule, transition } = change;
  const recorded = found?.alerts.find(
    (one) =>
      one.purl === purl && one.advisory === advisory && one.rule === rule && one.transition === transition,
  );
  // The ledger has all alerts of a scan, and no notes.
  const routes = change.level === 'note' ? [] : recorded && (recorded.routes ?? []);
  const isOwn = ({ route }: { readonly route: string }): boolean => routes?.includes(route) !== false;
  return {
    routes,
    deliveries: deliveries.filter(isOwn),
    isCut,
    accepted: found?.delivered.filter(isOwn) ?? [],
  };
}

/** The newest deliveries of the target that are about the scan. */
async function deliveriesOf(
  { target, scan, requestedAt: since }: AlertRouteProps,
  signal: AbortSignal,
): Promise<Pick<Route, 'deliveries' | 'isCut'>> {
  const found: Delivery[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = { target, since, pageSize: PAGE_SIZE, pageToken };
    const { deliveries, nextPageToken } = await call('lockhound.deliveries.list', params, { signal });
    found.push(...deliveries.filter((one) => one.scan === scan));
    pageToken = nextPageToken;
    if (pageToken === undefined) break;
  }
  return { deliveries: found, isCut: pageToken !== undefined };
}

function routesText(routes: readonly string[] | undefined): string {
  if (routes === undefined) return 'routes not known';
  return routes.length === 0 ? 'no route' : `route ${routes.join(', ')}`;
}

function deliveriesText(deliveries: readonly Delivery[], accepted: number, isCut: boolean): string {
  if (deliveries.length === 0) {
    if (accepted > 0) return 'accepted';
    return isCut ? 'deliveries not known' : 'no delivery';
  }
  const states = Map.groupBy(deliveries, ({ state }) => state);
  const attempts = deliveries.reduce((sum, one) => sum + one.attempts, 0);
  const counts = Array.from(states, ([state, own]) => `${own.length} ${state}`);
  return `${counts.join(', ')} after ${counted(attempts, 'attempt')}`;
}
