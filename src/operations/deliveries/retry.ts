import type { FleetStore } from '../../compose/fleet-store.ts';
import type { RetriedDelivery } from '../../model/api/lockhound-api.generated.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';
import { type FoundDelivery, findDelivery, selectDeliveries } from './select.ts';
import { firstInLane, inReplayOrder, sendAgain } from './send-again.ts';

/**
 * Sends deliveries again under their existing ids, those of one target in the order of its scans. One that waits for another attempt is
 * sent immediately. A delivery of another team is as unknown as none.
 */
export const retryDeliveries: Operation<'lockhound.deliveries.retry'> = async (
  { params: { delivery: named, ...filter }, principal },
  context,
) => {
  if ((named === undefined) === (filter.state === undefined)) {
    const detail = 'name either deliveries, or a state (with since, target or route to select some)';
    throw new Refusal(400, 'nothing-asked', detail);
  }
  const found = new Map<string, FoundDelivery | undefined>();
  for (const id of named ?? []) found.set(id, await findDelivery(context, principal, id));
  if (named === undefined) {
    for await (const one of selectDeliveries(context, filter, principal)) found.set(one.id, one);
  }
  return { deliveries: await retryAll(context.fleet, found) };
};

async function retryAll(
  fleet: FleetStore,
  found: ReadonlyMap<string, FoundDelivery | undefined>,
): Promise<readonly RetriedDelivery[]> {
  const results = new Map<string, Omit<RetriedDelivery, 'id'>>();
  const resent: FoundDelivery[] = [];
  for (const [id, one] of found) {
    if (one === undefined) results.set(id, { outcome: 'unknown' });
    else if (one.delivery.state === 'delivered') results.set(id, { outcome: 'delivered' });
    else if ((await one.shard.deliveries.stoppedRoute(one.delivery.route)) !== undefined)
      results.set(id, { outcome: 'held' });
    else resent.push(one);
  }
  for (const one of inReplayOrder(resent)) {
    const { id } = one.delivery;
    await sendAgain(fleet, one);
    const first = await firstInLane(one);
    results.set(id, { outcome: 'queued', ...(first === id ? {} : { behind: first }) });
  }
  return Array.from(found.keys(), (id) => ({ id, ...(results.get(id) ?? { outcome: 'unknown' }) }));
}
