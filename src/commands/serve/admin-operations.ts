import { mergeSorted } from '../../model/merge-sorted.ts';
import { notFound, requireWholeFleet } from '../../operations/context.ts';
import { filterItems, pageOf, takePage } from '../../operations/paging.ts';
import { sinceOf } from '../../operations/parameters.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import { compareNewest, type PlacedId } from '../../store/newest-ids.ts';
import { administerDeliveries, INDEX_OF } from '../deliveries.ts';
import { administerRejected } from '../rejected.ts';
import type { ServeContext } from './serve-context.ts';

type Own =
  | 'lockhound.deliveries.list'
  | 'lockhound.deliveries.get'
  | 'lockhound.rejected.list'
  | 'lockhound.rejected.get'
  | 'lockhound.queues.list';

/** What operators look at: deliveries, rejected payloads and queues. */
export function adminOperations(context: ServeContext): Pick<HttpOperations, Own> {
  const deliveries = administerDeliveries(context.shared);
  const rejected = administerRejected(context.shared);
  const { shards } = context.fleet;
  return {
    async 'lockhound.deliveries.list'({ params, principal }) {
      const { state: states, target, route } = params;
      const page = pageOf<PlacedId>(context, { method: 'lockhound.deliveries.list', params, principal });
      const range = { since: sinceOf(params.since), after: page.after, count: Math.min(100, page.size + 1) };
      const kinds = [...new Set(states?.map((state) => INDEX_OF[state]) ?? Object.values(INDEX_OF))];
      const lists = shards.flatMap((shard) => kinds.map((kind) => shard.deliveries.newest(kind, range)));
      const fitting = filterItems(
        mergeSorted(lists, compareNewest),
        ({ delivery }) =>
          (states === undefined || states.includes(delivery.state)) &&
          (target === undefined || delivery.target === target) &&
          (route === undefined || delivery.route === route) &&
          principal.sees(delivery.target),
      );
      const { items, next } = await takePage(fitting, page, ({ id, time }) => ({ id, time }));
      return { deliveries: items.map(({ delivery }) => delivery), ...next };
    },
    async 'lockhound.deliveries.get'({ params, principal }) {
      const found = await deliveries.show(params.delivery, principal.sees);
      if (found !== undefined) return found;
      throw notFound(`there is no delivery ${params.delivery}`);
    },
    async 'lockhound.rejected.list'({ params, principal }) {
      requireWholeFleet(principal);
      return await rejected.list(params.limit);
    },
    async 'lockhound.rejected.get'({ params: { job, id }, principal }) {
      requireWholeFleet(principal);
      const found = (await rejected.find(id)).find((entry) => entry.job === job);
      if (found === undefined) throw notFound(`${job} has no rejected payload ${id}`);
      return found;
    },
    async 'lockhound.queues.list'({ principal }) {
      requireWholeFleet(principal);
      return { queues: (await context.numbers()).queues };
    },
  };
}
