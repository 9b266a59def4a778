import { expect, it } from 'vitest';
import { identityOf, payloadOf, plannedDelivery } from '../../src/jobs/payloads/deliver-notification.ts';

const payload = { scan: 's', target: 't', route: 'r', requestedAt: '2026-01-02T00:00:00Z' };
const planned = (gaps: number) =>
  plannedDelivery(payload, {
    mode: 'digest',
    scan: 's',
    target: { id: 't', labels: {} },
    date: payload.requestedAt,
    changes: [],
    open: { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 },
    gaps,
  });

it('a scan that is judged again sends equal content under the same id, and other content under another id', () => {
  expect(planned(1).filed).toEqual(planned(1).filed);
  expect(planned(2).filed.identity.id).not.toBe(planned(1).filed.identity.id);
  expect(planned(2).filed.identity.key).toBe(planned(1).filed.identity.key);
  expect(identityOf(payload).id).not.toBe(planned(1).filed.identity.id);
});

it('the identity of a delivery is sufficient to send it again', () => {
  const { next, filed } = planned(1);
  expect(payloadOf(filed.identity)).toEqual(next.payload);
  expect(identityOf(payloadOf(filed.identity))).toEqual(filed.identity);
});
