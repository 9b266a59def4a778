import { expect, it } from 'vitest';
import type { DeliveryRecord } from '../../src/model/alert/delivery.ts';
import { inReplayOrder } from '../../src/operations/deliveries/send-again.ts';

function record(scan: string, day: number, part: string): DeliveryRecord {
  // The later a scan was judged, the earlier it was requested.
  const [filedAt, date] = [`2026-05-0${day}T00:00:00Z`, `2026-04-0${9 - day}T00:00:00Z`];
  return {
    ...{ id: `${scan}${part}`, key: `${scan}.r${part}`, route: 'r', target: 't', scan, date },
    ...{ state: 'failed', changes: 1, filedAt, updatedAt: '2026-05-09T00:00:00Z', attempts: 1 },
  };
}

it('deliveries are sent again as they were filed, those of one scan in the order of their changes', () => {
  const changes = Array.from({ length: 12 }, (_, index) => record('b', 2, `.${index}`));
  const all = [record('c', 3, ''), ...changes.toReversed(), record('a', 1, ''), record('d', 4, '.digest')];
  expect(inReplayOrder(all.map((delivery) => ({ delivery }))).map(({ delivery }) => delivery.key)).toEqual([
    'a.r',
    ...changes.map(({ key }) => key),
    'c.r',
    'd.r.digest',
  ]);
});
