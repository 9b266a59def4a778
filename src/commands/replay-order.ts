import { payloadOf } from '../jobs/payloads/deliver-notification.ts';
import type { DeliveryRecord } from '../model/alert/delivery.ts';

/**
 * Deliveries in the order in which they would have gone out: by scan, and the changes of one scan as its verdict lists
 * them. When a delivery was put away says little: many are at the same time, side by side.
 */
export function inReplayOrder(records: readonly DeliveryRecord[]): readonly DeliveryRecord[] {
  const position = (record: DeliveryRecord): number => {
    const { change, after } = payloadOf(record);
    return change ?? after ?? 0;
  };
  return records.toSorted(
    (left, right) =>
      Date.parse(left.date) - Date.parse(right.date) ||
      left.scan.localeCompare(right.scan) ||
      position(left) - position(right),
  );
}
