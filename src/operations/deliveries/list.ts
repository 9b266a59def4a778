import type { PlacedId } from '../../store/newest-ids.ts';
import { firstShard } from '../context.ts';
import type { Operation } from '../operation.ts';
import { pageOf, takePage } from '../paging.ts';
import { selectDeliveries } from './select.ts';

/** Deliveries by their last change, newest first, and the routes that are stopped. */
export const list: Operation<'lockhound.deliveries.list'> = async ({ params, principal }, context) => {
  const page = pageOf<PlacedId>(context, { method: 'lockhound.deliveries.list', params, principal });
  const range = { after: page.after, count: Math.min(100, page.size + 1) };
  const found = selectDeliveries(context, params, principal, range);
  const { items, next } = await takePage(found, page, ({ id, time }) => ({ id, time }));
  const deliveries = items.map(({ delivery }) => delivery);
  const held = new Set(deliveries.filter(({ state }) => state === 'held').map(({ route }) => route));
  const stopped = await firstShard(context.fleet).deliveries.stoppedRoutes();
  return {
    deliveries,
    // Routes may be those of other teams.
    stoppedRoutes: principal.seesAll ? stopped : stopped.filter(({ route }) => held.has(route)),
    ...next,
  };
};
