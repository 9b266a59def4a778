import { firstShard, notFound, requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { type FoundDelivery, selectDeliveries } from './select.ts';
import { inReplayOrder, sendAgain } from './send-again.ts';

/** Resumes a stopped route, and sends the deliveries that it held. */
export const resumeRoute: Operation<'lockhound.deliveries.resume'> = async (
  { params: { route }, principal },
  context,
) => {
  requireWholeFleet(principal);
  if (!(await firstShard(context.fleet).deliveries.resumeRoute(route)))
    throw notFound(`route ${route} is not stopped: see \`lockhound deliveries\``);
  const held: FoundDelivery[] = [];
  for await (const one of selectDeliveries(context, { state: ['held'], route }, principal)) held.push(one);
  for (const one of inReplayOrder(held)) await sendAgain(context.fleet, one);
  return { route, held: held.length };
};
