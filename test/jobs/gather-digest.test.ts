import { describe, expect, it } from 'vitest';
import { deliverNotification } from '../../src/jobs/deliver-notification.ts';
import { gatherDigest } from '../../src/jobs/gather-digest.ts';
import { payloadOf } from '../../src/jobs/payloads/deliver-notification.ts';
import type { FiledDelivery } from '../../src/model/alert/delivery.ts';
import type { DigestEntry } from '../../src/model/alert/notification.ts';
import { changeOf } from '../notify/notification.ts';
import { context, ports } from './facts.ts';

const payload = { of: 'changes', route: 'daily', window: '2026-11-21T00:00:00.000Z' } as const;
const none = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };

function entry(scan: string, target: string, more: Partial<DigestEntry> = {}): DigestEntry {
  return {
    scan,
    target: { id: target, labels: { org: 'acme', team: target } },
    date: '2026-11-20T10:00:00Z',
    changes: [changeOf(`of-${scan}`)],
    open: { ...none, high: 1 },
    gaps: 1,
    revision: 1,
    ...more,
  };
}

function notificationIn(deliveries: readonly FiledDelivery[] = []) {
  expect(deliveries).toHaveLength(1);
  return deliveries[0]?.notification;
}

describe('gather-digest', () => {
  it('builds one notification from the waiting changes and claims exactly these', async () => {
    const waiting = [
      entry('one', 'shop'),
      entry('two', 'api'),
      entry('three', 'shop', { open: { ...none, low: 2 } }),
    ];
    const { deliveries, next, state } = await gatherDigest.run(payload, ports({ waiting }), context());
    expect(state).toEqual({ route: 'daily', taken: ['one', 'two', 'three'] });
    expect(notificationIn(deliveries)).toMatchObject({
      mode: 'periodic',
      target: { id: '2 targets', labels: { org: 'acme' } },
      open: { high: 1, low: 2 },
      gaps: 2,
      changes: [{ target: 'shop' }, { target: 'api' }, { target: 'shop' }],
    });
    expect(next).toMatchObject([{ job: 'deliver-notification', payload: { route: 'daily', digest: true } }]);
    expect(deliverNotification.schema().safeParse(next[0]?.payload).error).toBeUndefined();
  });

  it('of one target is about that target', async () => {
    const { deliveries } = await gatherDigest.run(
      payload,
      ports({ waiting: [entry('one', 'shop')] }),
      context(),
    );
    expect(notificationIn(deliveries)).toMatchObject({ target: { id: 'shop', labels: { team: 'shop' } } });
    expect(notificationIn(deliveries)?.changes[0]).not.toHaveProperty('target');
  });

  it('shares of several targets only the labels that all of them have', async () => {
    const labels = (given: Readonly<Record<string, string>>, target: string) =>
      entry(`of-${target}`, target, { target: { id: target, labels: given } });
    const waiting = [
      labels({ org: 'acme', tier: '1' }, 'a'),
      labels({ org: 'acme' }, 'b'),
      labels({ org: 'acme', tier: '1' }, 'c'),
    ];
    const { deliveries } = await gatherDigest.run(payload, ports({ waiting }), context());
    expect(notificationIn(deliveries)?.target).toEqual({ id: '3 targets', labels: { org: 'acme' } });
  });

  it('sends nothing when nothing waits', async () => {
    const run = await gatherDigest.run(payload, ports({}), context());
    expect(run).toEqual({ result: { digests: 0 }, next: [], deliveries: [] });
  });

  it('has a key for each route and time that is a valid scan id', () => {
    const keys = [
      payload,
      { ...payload, route: 'a b$' },
      { ...payload, window: '2026-11-21T00:01:00.000Z' },
    ].map((one) => gatherDigest.key(one));
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/);
  });
});

describe('a delivery', () => {
  it.each([{}, { change: 0 }, { change: 12 }, { digest: true as const }])(
    'of %j is sent again as it was',
    (part) => {
      const made = { scan: 'a.b', target: 't', route: 'r', requestedAt: '2026-11-21T00:00:00Z', ...part };
      const key = deliverNotification.key(made);
      const identity = { id: 'x', key, route: 'r', target: 't', scan: 'a.b', date: made.requestedAt };
      expect(payloadOf(identity)).toEqual(made);
    },
  );
});
