import { routingOf } from '../../compose/notify/routing.ts';
import { degraded, fine } from '../../model/fleet/checks.ts';
import { createRouteReach, type UnreachedRoute } from '../../policy/routing/unreached-routes.ts';
import type { Check, Finding } from './check.ts';

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
    if (targets === 0) return fine('no target was scanned yet: which routes they reach is not known');
    const unreached = reach.unreached();
    if (unreached.length > 0) return unreached.map(unreachedFinding);
    return fine(`every route can get alerts of the ${targets === 1 ? 'target' : `${targets} targets`}`);
  },
};

function unreachedFinding({ route, takenBy }: UnreachedRoute): Finding {
  const found =
    takenBy === undefined
      ? degraded(
          'no target has the labels of this route: it gets no alerts',
          'Compare `match.labels` with `lockhound targets`; a producer sets the labels of a target.',
        )
      : degraded(
          `route ${takenBy} takes everything that this route matches: it gets no alerts`,
          `Give route ${takenBy} conditions, or change the order of the routes or \`notify.take\`.`,
        );
  return { ...found, check: route };
}
