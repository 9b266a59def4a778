import { routingOf } from '../../compose/routing.ts';
import { createRouteReach, type UnreachedRoute } from '../../policy/routing/unreached-routes.ts';
import { type Check, type Finding, note, ok, warning } from './check.ts';

/** Routes that get nothing from the targets that were scanned. */
export const routeReach: Check = {
  subject: 'receivers',
  name: 'reach',
  async run({ loaded, stores, signal }) {
    const { notify } = loaded.config;
    if (notify === undefined) return [];
    const reach = createRouteReach(routingOf(notify));
    let targets = 0;
    for (const { targetSummaries } of stores.shards) {
      for await (const part of targetSummaries.all()) {
        signal.throwIfAborted();
        for (const [id, { labels }] of part) reach.add({ id, labels });
        targets += part.length;
      }
    }
    if (targets === 0) return note('no target was scanned yet: which routes they reach is not known');
    const unreached = reach.unreached();
    if (unreached.length > 0) return unreached.flatMap(unreachedFinding);
    return ok(`every route can get alerts of the ${targets === 1 ? 'target' : `${targets} targets`}`);
  },
};

function unreachedFinding({ route, takenBy }: UnreachedRoute): readonly Finding[] {
  const found =
    takenBy === undefined
      ? warning(
          'no target has the labels of this route: it gets no alerts',
          'Compare `match.labels` with `lockhound targets`; a producer sets the labels of a target.',
        )
      : warning(
          `route ${takenBy} takes everything that this route matches: it gets no alerts`,
          `Give route ${takenBy} conditions, or change the order of the routes or \`notify.take\`.`,
        );
  return found.map((one) => ({ ...one, check: route }));
}
