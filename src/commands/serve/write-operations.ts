import { notFound, requireWholeFleet } from '../../operations/context.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import { administerDeliveries } from '../deliveries.ts';
import { administerRejected } from '../rejected.ts';
import type { ServeContext } from './serve-context.ts';

type Own =
  | 'lockhound.deliveries.retry'
  | 'lockhound.routes.resume'
  | 'lockhound.rejected.retry'
  | 'lockhound.rejected.drop';

/** What operators change: targets, deliveries, routes, rejected payloads. */
export function writeOperations(context: ServeContext): Pick<HttpOperations, Own> {
  const deliveries = administerDeliveries(context.shared);
  const rejected = administerRejected(context.shared);
  const rejectedPayload = async ({ job, id }: { readonly job: string; readonly id: string }) => {
    const found = (await rejected.find(id)).find((entry) => entry.job === job);
    if (found === undefined) throw notFound(`${job} has no rejected payload ${id}`);
    return found;
  };
  return {
    async 'lockhound.deliveries.retry'({ params: { delivery: id }, principal }) {
      if ((await deliveries.show(id, principal.sees)) === undefined)
        throw notFound(`there is no delivery ${id}`);
      const [retried = { id, outcome: 'unknown' }] = await deliveries.retry([id]);
      return retried;
    },
    async 'lockhound.routes.resume'({ params: { route }, principal }) {
      requireWholeFleet(principal);
      const resumed = await deliveries.resume(route);
      if (resumed === undefined) throw notFound(`route ${route} is not stopped`);
      return { route, ...resumed };
    },
    async 'lockhound.rejected.retry'({ params, body, principal }) {
      requireWholeFleet(principal);
      return await rejected.retry(await rejectedPayload(params), body.data);
    },
    async 'lockhound.rejected.drop'({ params, principal }) {
      requireWholeFleet(principal);
      await rejected.drop(await rejectedPayload(params));
      return {};
    },
  };
}
