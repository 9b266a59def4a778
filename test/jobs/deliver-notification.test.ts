import { describe, expect, it } from 'vitest';
import { deliverNotification } from '../../src/jobs/deliver-notification.ts';
import type { Ports } from '../../src/jobs/ports.ts';
import type { DeliveryAnswer, DeliveryIdentity, DeliveryMove } from '../../src/model/alert/delivery.ts';
import type { Notification } from '../../src/model/alert/notification.ts';
import { context, ports } from './facts.ts';

const payload = { scan: 's', target: 't', route: 'default', requestedAt: '2026-01-02T00:00:00Z' };
const none = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };
const outcomes = { resolved: 0, missing: 0, unsupported: 0, private: 0, failed: 0, uncovered: 0 };
const verdict = {
  scan: 's',
  target: { id: 't', labels: {} },
  requestedAt: payload.requestedAt,
  findings: [],
  changes: [],
  gaps: [{ kind: 'package', subject: 'x', reason: 'y' }],
  complete: false,
  partial: false,
  open: none,
  kept: 0,
  counts: { lockfiles: 1, packages: 0, outcomes, severities: none, notes: 0 },
  superseded: false,
};

/** Ports with this answer, and the calls that they received. */
function setUp(answer: DeliveryAnswer, outcomes: ReadonlyMap<string, unknown>) {
  const filed = new Map<string, Notification>();
  const moves: [DeliveryIdentity, DeliveryMove][] = [];
  const sent: Notification[] = [];
  const given: Ports = {
    ...ports({ outcomes }),
    notifier: {
      deliver: async (_route, read) => {
        sent.push(await read());
        return answer;
      },
    },
    deliveries: {
      file: async ({ id }, notification) => void filed.set(id, notification),
      read: async (id) => filed.get(id),
      move: async (identity, move) => void moves.push([identity, move]),
    },
  };
  return { given, filed, moves, sent, run: () => deliverNotification.run(payload, given, context()) };
}

const known = new Map([['judge-scan/s', verdict]]);
const receipt = { id: 'x', route: 'default', status: 200, answer: '' };

describe('deliver-notification', () => {
  it('stores the notification before it sends it, and then does not need the verdict', async () => {
    const outcomes = new Map<string, unknown>(known);
    const { run, filed, sent } = setUp({ kind: 'delivered', receipt }, outcomes);
    const answer = await run();
    const [[id, notification] = []] = filed;
    expect(answer).toMatchObject({ result: receipt, next: [], delivered: { id, route: 'default' } });
    expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(notification).toMatchObject({ id, scan: 's', date: payload.requestedAt, gaps: 1 });
    outcomes.clear();
    await run();
    expect(sent).toEqual([notification, notification]);
  });

  it('stores the notification while it waits for its turn', async () => {
    const { given, filed, sent } = setUp({ kind: 'delivered', receipt }, known);
    await deliverNotification.whileWaiting?.(payload, given);
    expect(filed.size).toBe(1);
    expect(sent).toEqual([]);
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
      const { given, moves } = setUp({ kind: 'delivered', receipt }, known);
      await deliverNotification.onEnd?.(variant, { kind: 'done' }, given);
      await deliverNotification.onEnd?.(variant, { kind: 'done' }, given);
      for (const [{ id }] of moves) ids.add(id);
    }
    expect(ids.size).toBe(variants.length);
  });

  it.each([
    ['held', 'route-held'],
    ['later', 'route-later'],
  ] as const)('throws what the queue makes of %s', async (kind, code) => {
    const { run } = setUp({ kind, reason: 'because' }, known);
    await expect(run()).rejects.toMatchObject({ code, message: 'because', retryable: true });
  });

  it('fails with a reason when there is nothing to send', async () => {
    const { run } = setUp({ kind: 'delivered', receipt }, new Map());
    await expect(run()).rejects.toMatchObject({ code: 'facts-missing', retryable: false });
  });

  it.each([
    [{ kind: 'done' }, { state: 'delivered' }],
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
    const { given, moves } = setUp({ kind: 'delivered', receipt }, known);
    await deliverNotification.onEnd?.(payload, ending, given);
    expect(moves.map(([, one]) => one)).toEqual(move === undefined ? [] : [move]);
  });
});
