import { describe, expect, it } from 'vitest';
import { deliverNotification } from '../../src/jobs/deliver-notification.ts';
import { identityOf } from '../../src/jobs/payloads/deliver-notification.ts';
import type { Ports } from '../../src/jobs/ports.ts';
import type { DeliveryAnswer, DeliveryIdentity, DeliveryMove } from '../../src/model/alert/delivery.ts';
import type { Notification } from '../../src/model/alert/notification.ts';
import { notificationOf } from '../notify/notification.ts';
import { context, ports } from './facts.ts';

const payload = { scan: 's', target: 't', route: 'default', requestedAt: '2026-01-02T00:00:00Z' };
const { id } = identityOf(payload);
const notification = { ...notificationOf(), id, scan: 's', route: 'default' };
const known = new Map([[id, notification]]);
const receipt = { id, route: 'default', status: 200, answer: '' };

/** Ports with this answer, and the calls that they received. `filed`: stored notifications. */
function setUp(answer: DeliveryAnswer, filed: ReadonlyMap<string, Notification> = known) {
  const moves: [DeliveryIdentity, DeliveryMove][] = [];
  const sent: Notification[] = [];
  const given: Ports = {
    ...ports({}),
    notifier: {
      deliver: async (_route, read) => {
        sent.push(await read());
        return answer;
      },
    },
    deliveries: {
      read: async (of) => filed.get(of),
      move: async (identity, move) => void moves.push([identity, move]),
    },
  };
  return { given, moves, sent, run: () => deliverNotification.run(payload, given, context()) };
}

describe('deliver-notification', () => {
  it('sends the stored notification under an id that follows from its payload', async () => {
    const { run, sent } = setUp({ kind: 'delivered', receipt });
    const answer = await run();
    expect(answer).toMatchObject({ result: receipt, next: [], delivered: { id, route: 'default' } });
    expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(sent).toEqual([notification]);
  });

  it('has an id that depends on all of its payload', async () => {
    const ids = new Set<string>();
    const variants = [
      payload,
      { ...payload, scan: 'u' },
      { ...payload, target: 'u' },
      { ...payload, route: 'u' },
      { ...payload, requestedAt: '2026-01-02T00:00:01Z' },
    ];
    for (const variant of variants) {
      const { given, moves } = setUp({ kind: 'delivered', receipt });
      await deliverNotification.onEnd?.(variant, { kind: 'failed', reason: 'r' }, given);
      await deliverNotification.onEnd?.(variant, { kind: 'failed', reason: 'r' }, given);
      for (const [{ id }] of moves) ids.add(id);
    }
    expect(ids.size).toBe(variants.length);
  });

  it.each([
    ['held', 'route-held'],
    ['later', 'route-later'],
  ] as const)('throws what the queue makes of %s', async (kind, code) => {
    const { run } = setUp({ kind, reason: 'because' });
    await expect(run()).rejects.toMatchObject({ code, message: 'because', retryable: true });
  });

  it('fails with a reason when there is nothing to send, and is not queued again', async () => {
    const { run, given } = setUp({ kind: 'delivered', receipt }, new Map());
    await expect(run()).rejects.toMatchObject({ code: 'facts-missing', retryable: false });
    expect(await deliverNotification.hasInput?.(payload, given)).toBe(false);
    const filed = setUp({ kind: 'delivered', receipt });
    expect(await deliverNotification.hasInput?.(payload, filed.given)).toBe(true);
  });

  it.each([
    [
      { kind: 'retry', reason: 'r', delayMs: 5 },
      { state: 'retrying', reason: 'r', nextInMs: 5 },
    ],
    [
      { kind: 'postponed', code: 'route-held', reason: 'r', delayMs: 5 },
      { state: 'held', reason: 'r' },
    ],
    [
      { kind: 'postponed', code: 'route-later', reason: 'r', delayMs: 5 },
      { state: 'waiting', reason: 'r', nextInMs: 5 },
    ],
    [{ kind: 'postponed', code: 'not-its-turn', reason: 'r', delayMs: 5 }, undefined],
    [
      { kind: 'failed', reason: 'r' },
      { state: 'failed', reason: 'r' },
    ],
  ] as const)('notes %o as %o', async (ending, move) => {
    const { given, moves } = setUp({ kind: 'delivered', receipt });
    await deliverNotification.onEnd?.(payload, ending, given);
    expect(moves.map(([, one]) => one)).toEqual(move === undefined ? [] : [move]);
  });
});
