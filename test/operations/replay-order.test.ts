import { expect, it } from 'vitest';
import type { DeliveryRecord } from '../../src/model/alert/delivery.ts';
import { inReplayOrder } from '../../src/operations/deliveries/send-again.ts';

function record(scan: string, day: number, part: string): DeliveryRecord {
  const at = `2026-05-0${day}T00:00:00Z`;
  return {
    ...{ id: `${scan}${part}`, key: `${scan}.r${part}`, route: 'r', target: 't', scan, date: at },
    ...{ state: 'failed', changes: 1, filedAt: '2026-05-09T00:00:00Z', updatedAt: at, attempts: 1 },
  };
}

it('deliveries are sent again by scan, then in the order of their changes, regardless of when they were stored', () => {
  const changes = Array.from({ length: 12 }, (_, index) => record('b', 2, `.${index}`));
  const all = [record('c', 3, ''), ...changes.toReversed(), record('a', 1, ''), record('d', 4, '.digest')];
  expect(inReplayOrder(all.map((delivery) => ({ delivery }))).map(({ delivery }) => delivery.key)).toEqual([
    'a.r',
    ...changes.map(({ key }) => key),
    'c.r',
    'd.r.digest',
  ]);
});
