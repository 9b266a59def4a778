import type { Store } from '../../compose/store.ts';
import type { DeliveryRecord, DeliveryState } from '../../model/alert/delivery.ts';
import { mergeSorted } from '../../model/merge-sorted.ts';
import type { DeliveryIndex } from '../../store/alerts/delivery-lists.ts';
import { compareNewest, type NewestRange, type PlacedId } from '../../store/newest-ids.ts';
import type { OperationContext } from '../context.ts';
import { filterItems } from '../paging.ts';
import { sinceOf } from '../parameters.ts';
import type { Principal } from '../principal.ts';

export interface DeliveryFilter {
  /** Default: all. */
  readonly state?: readonly DeliveryState[] | undefined;
  readonly target?: string | undefined;
  readonly route?: string | undefined;
  /** Changed since. */
  readonly since?: string | undefined;
}

/** A delivery, and the shard that has it. */
export interface FoundDelivery {
  readonly delivery: DeliveryRecord;
  readonly shard: Store;
}

/** The list of the deliveries of a state. */
const INDEX_OF: Readonly<Record<DeliveryState, DeliveryIndex>> = {
  waiting: 'open',
  retrying: 'open',
  held: 'open',
  failed: 'failed',
  delivered: 'delivered',
};

/** Deliveries that fit and that the caller may see, by their last change, newest first. `count`: number that is read together. */
export function selectDeliveries(
  { fleet: { shards } }: Pick<OperationContext, 'fleet'>,
  { state: states, target, route, since }: DeliveryFilter,
  { sees }: Principal,
  { after, count }: { readonly after?: PlacedId | undefined; readonly count?: number } = {},
): AsyncGenerator<FoundDelivery & PlacedId> {
  const range = { since: sinceOf(since), after, count };
  const kinds = [...new Set(states?.map((state) => INDEX_OF[state]) ?? Object.values(INDEX_OF))];
  const lists = shards.flatMap((shard) => kinds.map((kind) => newestIn(shard, kind, range)));
  return filterItems(
    mergeSorted(lists, compareNewest),
    ({ delivery }) =>
      (states === undefined || states.includes(delivery.state)) &&
      (target === undefined || delivery.target === target) &&
      (route === undefined || delivery.route === route) &&
      sees(delivery.target),
  );
}

async function* newestIn(shard: Store, kind: DeliveryIndex, range: NewestRange) {
  for await (const one of shard.deliveries.newest(kind, range)) yield { ...one, shard };
}

/** A delivery that the caller may see. One of another team takes the same time as none. */
export async function findDelivery(
  { fleet: { shards } }: Pick<OperationContext, 'fleet'>,
  { sees }: Principal,
  id: string,
): Promise<FoundDelivery | undefined> {
  for (const shard of shards) {
    const delivery = await shard.deliveries.find(id);
    if (delivery !== undefined && sees(delivery.target)) return { delivery, shard };
  }
  return undefined;
}
