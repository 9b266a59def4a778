import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../src/embedded/receiver/service.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import type { DeliveryAttempt } from '../../src/model/alert/delivery.ts';
import type { Notification, NotifiedChange } from '../../src/model/alert/notification.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import type { Transition } from '../../src/model/scan/transition.ts';
import { type Alert, alertMaker, alertOf } from '../../src/notify/alert/alert.ts';
import { createNotifier } from '../../src/notify/delivery/deliver.ts';
import { genericPreset } from '../../src/notify/presets/generic.ts';
import { fitRequest } from '../../src/notify/rendering/fit-request.ts';
import { renderRequest } from '../../src/notify/rendering/render-request.ts';
import { valuesOf } from '../../src/notify/rendering/values.ts';
import { longestStep } from '../longest-step.ts';
import { changeOf, notificationOf } from './notification.ts';

const KIB = 1_024;
const MEDIUM: readonly Severity[] = ['low', 'medium', 'critical', 'none', 'high', 'unrated'];

function numbered(index: number, severity: Severity, transition: Transition = 'opened'): NotifiedChange {
  const change = changeOf(`package-${index}`, `Title ${index}`, transition);
  return { ...change, finding: { ...change.finding, severity } };
}

/** Severities alternate, not sorted; every seventh change is a resolution. */
const many = (count: number): Notification =>
  notificationOf(
    Array.from({ length: count }, (_, index) =>
      numbered(index, MEDIUM[index % MEDIUM.length] ?? 'low', index % 7 === 0 ? 'resolved' : 'opened'),
    ),
  );

function rendering(payload = genericPreset.payload) {
  const definition = { name: 'a', url: 'https://a.example', headers: {}, payload, encodeAs: 'json' } as const;
  return (alert: Alert) => renderRequest(definition, valuesOf(alert, {}));
}

const fitted = async (notification: Notification, maxBytes: number, payload?: string) => {
  const { request, bytes, leftOut } = await fitRequest(notification, maxBytes, rendering(payload));
  expect(bytes).toBe(Buffer.byteLength(request.body));
  return { event: JSON.parse(request.body), bytes, leftOut };
};

describe('an alert within its limit', () => {
  it('is whole and in order when all of it fits, to the byte', async () => {
    const notification = many(40);
    const whole = Buffer.byteLength(rendering()(alertOf(notification)).body);
    const { event, leftOut } = await fitted(notification, whole);
    expect(leftOut).toBe(0);
    expect(event.leftOut).toBe(0);
    expect(event.changes.map((one: { package: string }) => one.package)).toEqual(
      notification.changes.map(({ finding }) => finding.package.name),
    );
    const shorter = await fitted(notification, whole - 1);
    expect(shorter.leftOut).toBeGreaterThan(0);
    expect(shorter.bytes).toBeLessThan(whole);
  });

  it.each([2 * KIB, 16 * KIB, 256 * KIB])(
    'of %i bytes lists the worst changes first, counts the rest, and has totals over all',
    async (limit) => {
      const notification = many(2_000);
      const { event, bytes, leftOut } = await fitted(notification, limit);
      expect(bytes).toBeLessThanOrEqual(limit);
      expect(bytes).toBeGreaterThan(limit * 0.6);
      expect(event.leftOut).toBe(leftOut);
      expect(event.changes.length + leftOut).toBe(2_000);
      const order = ['critical', 'high', 'medium', 'unrated', 'low', 'none'];
      const ranks = event.changes.map(
        ({ severity, transition }: { severity: string; transition: string }) =>
          order.indexOf(severity) + (transition === 'resolved' ? order.length : 0),
      );
      expect(ranks).toEqual(ranks.toSorted((left: number, right: number) => left - right));
      expect(event.counts).toEqual({
        opened: 1_714,
        worsened: 0,
        reopened: 0,
        disputed: 0,
        suppressed: 0,
        resolved: 286,
      });
      expect(event.severity).toBe('critical');
      expect(event.summary).toBe('[critical] shop/web: 1714 opened, 286 resolved');
    },
  );

  it('shortens text like JSON, with a count and the link', async () => {
    const payload = '{"lines": "$CHANGES", "all": "$EVENT_MSG", "json": $CHANGES_JSON, "rest": $LEFT_OUT}';
    const notification = { ...many(500), link: 'https://ci.example/1' };
    const { event, leftOut } = await fitted(notification, 64 * KIB, payload);
    const listed = 500 - leftOut;
    expect(leftOut).toBeGreaterThan(100);
    expect(event.json).toHaveLength(listed);
    expect(event.rest).toBe(leftOut);
    expect(event.lines.split('\n')).toHaveLength(listed + 1);
    expect(event.lines).toMatch(new RegExp(`\nand ${leftOut} more changes: https://ci\\.example/1$`));
    expect(event.all.split('\n')).toHaveLength(listed + 2);
  });

  it('cuts the lists of a change that is too large by itself', async () => {
    const change = changeOf('everywhere');
    const locations = Array.from({ length: 5_000 }, (_, line) => ({
      path: `services/number-${line}/package-lock.json`,
      line,
      dependencyPath: ['a@1', 'b@1'],
    }));
    const large = { ...change, finding: { ...change.finding, locations } };
    const { event, bytes, leftOut } = await fitted(notificationOf([large]), 8 * KIB);
    expect(bytes).toBeLessThanOrEqual(8 * KIB);
    expect(leftOut).toBe(0);
    expect(event.changes[0].locations).toHaveLength(10);
  });

  it('is sent without changes, with its key and action, when not even one fits', async () => {
    const notification = { ...notificationOf([changeOf('a')]), mode: 'change' as const };
    const payload = '{"key": "$DEDUP_KEY", "action": "$EVENT_ACTION", "changes": $CHANGES_JSON}';
    const { event } = await fitted(notification, 300, payload);
    expect(event).toEqual({ key: `lockhound-${'f'.repeat(32)}`, action: 'trigger', changes: [] });
    const resolved = { ...notificationOf([changeOf('a', 'A', 'resolved')]), mode: 'change' as const };
    expect((await fitted(resolved, 300, payload)).event.action).toBe('resolve');
  });

  it('without changes is not shortened', async () => {
    expect((await fitted(notificationOf([]), 64)).event).toMatchObject({ changes: [], leftOut: 0 });
  });
});

describe('40,000 and 200,000 changes', () => {
  const notifications = new Map([40_000, 200_000].map((count) => [count, many(count)]));

  it.each([40_000, 200_000])('%i: each step is short, and memory is bounded', async (count) => {
    const notification = notifications.get(count) ?? notificationOf([]);
    for (const payload of [genericPreset.payload, '{"text": "$EVENT_MSG"}', '{"text": "$ID"}']) {
      const before = process.memoryUsage().heapUsed;
      const { longestMs, value } = await longestStep(() =>
        fitRequest(notification, 256 * KIB, rendering(payload)),
      );
      expect(value.bytes).toBeLessThanOrEqual(256 * KIB);
      expect(value.leftOut).toBeGreaterThan(count - 10_000);
      // Of CPU time. Measured: 20 to 90 ms, and under 60 MB; the whole body alone would be 90 MB.
      expect(longestMs).toBeLessThan(200);
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(150e6);
    }
  });

  it('are ranked once for alerts of all sizes', () => {
    const make = alertMaker(notifications.get(200_000) ?? notificationOf([]));
    const first = make({ most: 10 });
    expect(first.changes.map(({ finding }) => finding.severity)).toEqual(Array(10).fill('critical'));
    expect(make({ most: 20 }).changes.slice(0, 10)).toEqual(first.changes);
    expect(make().changes).toHaveLength(200_000);
  });
});

describe('a receiver that answers 413', () => {
  let receiver: Receiver;
  const http = createHttpClient();
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  beforeEach(() => receiver.faults.clear());
  afterAll(async () => {
    await receiver.close();
    await http.close();
  });

  function notifier(options: { readonly maxBytes?: number; readonly payload?: string } = {}) {
    const attempts: DeliveryAttempt[] = [];
    const { payload = genericPreset.payload, ...route } = options;
    const definition = {
      ...{ name: 'a', url: `${receiver.url}/a`, headers: {}, payload },
      encodeAs: 'json' as const,
    };
    const made = createNotifier({
      webhooks: [{ name: 'a', definition: () => definition, variables: {}, ...route }],
      http,
      timeoutMs: 30_000,
      now: () => new Date(),
      recordAttempt: (_route, _id, attempt) => void attempts.push(attempt),
    });
    const deliver = (notification: Notification) =>
      made.deliver('a', notification, new AbortController().signal);
    return { attempts, deliver };
  }

  it('immediately gets half as much, under the same id, until it accepts; later alerts start there', async () => {
    const { attempts, deliver } = notifier();
    const notification = { ...many(2_000), id: 'msg_large' };
    receiver.faults.inject({ kind: 'answer', status: 413 }, { times: 3 });
    expect(await deliver(notification)).toMatchObject({ status: 200, id: 'msg_large' });
    expect(attempts.map(({ status }) => status)).toEqual([413, 413, 413, 200]);
    const sizes = attempts.map(({ bytes = 0 }) => bytes);
    expect(sizes[0]).toBeLessThanOrEqual(256 * KIB);
    for (const [index, size] of sizes.slice(1).entries()) {
      expect(size).toBeLessThanOrEqual((sizes[index] ?? 0) / 2);
    }
    const taken = receiver.deliveries().find(({ id }) => id === 'msg_large');
    expect(taken?.attempts).toBe(4);
    expect(JSON.parse(taken?.body ?? '').leftOut).toBe(attempts.at(-1)?.leftOut);

    await deliver({ ...many(2_000), id: 'msg_other' });
    expect(attempts.slice(4)).toMatchObject([{ status: 200, bytes: sizes.at(-1) }]);
  });

  it('fails permanently after a bounded number of attempts, or when the body gets no shorter', async () => {
    const { attempts, deliver } = notifier();
    receiver.faults.inject({ kind: 'answer', status: 413 }, { times: Number.POSITIVE_INFINITY });
    await expect(deliver(many(2_000))).rejects.toMatchObject({
      code: 'receiver-too-large',
      retryable: false,
      message: expect.stringMatching(/HTTP 413: the alert is too large for the receiver, even at \d+ bytes$/),
    });
    expect(attempts.length).toBeLessThanOrEqual(8);
    expect(attempts.at(-1)?.bytes).toBeLessThanOrEqual(2 * KIB);

    const fixed = notifier({ payload: '{"text": "$ID"}' });
    await expect(fixed.deliver(many(1))).rejects.toMatchObject({ code: 'receiver-too-large' });
    expect(fixed.attempts).toHaveLength(2);

    // The size for a receiver that accepts nothing is forgotten: the next alert is complete again.
    receiver.faults.clear();
    await deliver({ ...many(100), id: 'msg_whole' });
    expect(attempts.at(-1)).toMatchObject({ status: 200 });
    expect(attempts.at(-1)?.leftOut).toBeUndefined();
  });

  it('is not affected by the limit of another route', async () => {
    const small = notifier({ maxBytes: 4 * KIB });
    await small.deliver(many(2_000));
    expect(small.attempts).toMatchObject([{ status: 200, leftOut: expect.any(Number) }]);
    expect(small.attempts[0]?.bytes).toBeLessThanOrEqual(4 * KIB);
  });
});
