import type { StoppedRoute } from '../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../api/call.ts';
import { filtersIn } from '../api/filters.ts';
import { may } from '../api/session.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { Action } from '../parts/action.tsx';
import { Card, ViewHead } from '../parts/card.tsx';
import { Choice } from '../parts/choice.tsx';
import { DeliveryTable } from '../parts/delivery-table.tsx';
import { FilterForm } from '../parts/filter-form.tsx';
import { Nothing, Shown } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { useList } from '../parts/use-list.ts';
import { addressOf, place } from '../routing/location.ts';

const STATES = ['waiting', 'retrying', 'held', 'delivered', 'failed'] as const;

const PERIODS = [
  ['', 'At any time'],
  ['1d', 'Within a day'],
  ['7d', 'Within 7 days'],
  ['30d', 'Within 30 days'],
] as const;

/** Alerts to receivers, with their attempts. */
export function DeliveriesView() {
  const filters = filtersIn('lockhound.deliveries.list', place.value.params);
  const { state: [state] = [], target, since } = filters;
  const list = useList(`deliveries ${JSON.stringify(filters)}`, async (page, signal) => {
    const { deliveries, nextPageToken } = await call(
      'lockhound.deliveries.list',
      { ...filters, ...page },
      { signal },
    );
    return { items: deliveries, nextPageToken };
  });
  return (
    <>
      <ViewHead title="Deliveries" note="Alerts are sent at least once, each under one id." />
      <StoppedRoutes />
      <FilterForm
        label="Filters of deliveries"
        addressOf={(values) => addressOf('/deliveries', filtersIn('lockhound.deliveries.list', values))}
      >
        <Choice
          name="state"
          label="State"
          value={state}
          options={[['', 'All'], ...STATES.map((one) => [one, one] as const)]}
        />
        <label>
          Target
          <input name="target" defaultValue={target} placeholder="Exact id" />
        </label>
        <Choice name="since" label="Filed" value={since} options={PERIODS} />
      </FilterForm>
      <Shown loaded={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>There is no such delivery.</Nothing>
          ) : (
            <DeliveryTable deliveries={items} onChange={list.reload} />
          )
        }
      </Shown>
      {list.more === undefined ? null : (
        <button type="button" class="more" onClick={list.more}>
          Show more
        </button>
      )}
    </>
  );
}

/** Routes that send nothing until somebody resumes them. */
function StoppedRoutes() {
  const overview = useLoaded('fleet', (signal) => call('lockhound.fleet.get', {}, { signal }));
  const routes = overview.value?.stoppedRoutes ?? [];
  if (routes.length === 0) return null;
  return (
    <Card title="Stopped routes">
      <ul class="rows">
        {routes.map((route) => (
          <StoppedRouteRow key={route.route} one={route} onChange={overview.reload} />
        ))}
      </ul>
    </Card>
  );
}

interface StoppedRouteRowProps {
  readonly one: StoppedRoute;
  readonly onChange: () => void;
}

function StoppedRouteRow({ one: { route, at, reason }, onChange }: StoppedRouteRowProps) {
  const resume = async (): Promise<string> => {
    const { held } = await call('lockhound.deliveries.resume', { route });
    onChange();
    return `Route ${route} is resumed; ${held} alerts were held.`;
  };
  return (
    <li>
      <strong>{route}</strong>
      <span>{reason}</span>
      <span class="faint">
        <Time at={at} />
      </span>
      {may('lockhound.deliveries.resume', { isFleetWide: true }) ? (
        <Action name="Resume" label={`Resume ${route}`} onDo={resume} />
      ) : null}
    </li>
  );
}
