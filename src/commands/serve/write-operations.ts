import type { Operations } from '../../server/api/operation.ts';
import { administerDeliveries } from '../deliveries.ts';
import { forgetTarget } from '../fleet/targets.ts';
import { administerRejected } from '../rejected.ts';
import {
  notFound,
  requireSeen,
  requireWholeFleet,
  type ServeContext,
  unknownTarget,
} from './serve-context.ts';

type Own =
  | 'lockhound.targets.forget'
  | 'lockhound.deliveries.retry'
  | 'lockhound.routes.resume'
  | 'lockhound.rejected.retry'
  | 'lockhound.rejected.drop';

/** What operators change: targets, deliveries, routes, rejected payloads. */
export function writeOperations(context: ServeContext): Pick<Operations, Own> {
  const deliveries = administerDeliveries(context.shared);
  const rejected = administerRejected(context.shared);
  const rejectedPayload = async ({ job, id }: { readonly job: string; readonly id: string }) => {
    const found = (await rejected.find(id)).find((entry) => entry.job === job);
    if (found === undefined) throw notFound(`${job} has no rejected payload ${id}`);
    return found;
  };
  return {
    async 'lockhound.targets.forget'({ params: { target }, principal }) {
      requireSeen(principal, target);
      const forgotten = await forgetTarget(context.fleet, target);
      if (forgotten === undefined) throw unknownTarget(target);
      // The caller's next read does not show it.
      await context.view.follow();
      return forgotten;
    },
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
