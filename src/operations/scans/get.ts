import type { DeliveryRecord } from '../../model/alert/delivery.ts';
import type { Operation } from '../operation.ts';
import { type FoundScan, findScan, shownScan } from './find.ts';
import { stepOf } from './step.ts';

const MAX_DELIVERIES = 100;

/** A scan with the deliveries of its changes. One that is not done says what it waits for. */
export const getScan: Operation<'lockhound.scans.get'> = async ({ params, principal }, { fleet }) => {
  const found = await findScan(fleet, principal, params.scan);
  const step = await stepOf(fleet, found);
  return {
    scan: { ...shownScan(found.scan), ...(step === undefined ? {} : { step }) },
    deliveries: await deliveriesOf(found),
  };
};

async function deliveriesOf({ shard, scan }: FoundScan): Promise<readonly DeliveryRecord[]> {
  const found: DeliveryRecord[] = [];
  if ((scan.deliveries ?? 0) === 0) return found;
  for (const kind of ['open', 'failed', 'delivered'] as const) {
    for await (const { delivery } of shard.deliveries.newest(kind, { since: scan.startedAt }))
      if (delivery.scan === scan.scan) found.push(delivery);
  }
  return found
    .toSorted((left, right) => Date.parse(right.updatedAt) - Date.parse(left.updatedAt))
    .slice(0, MAX_DELIVERIES);
}
