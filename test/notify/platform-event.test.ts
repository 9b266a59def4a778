import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../src/embedded/receiver/service.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import type { DeliveryAttempt } from '../../src/model/alert/delivery.ts';
import type { Notification } from '../../src/model/alert/notification.ts';
import { Secret } from '../../src/model/secret.ts';
import { createEventNotifier } from '../../src/notify/delivery/platform-event.ts';
import type { WebhookDefinition } from '../../src/notify/webhooks/definition.ts';
import { changeOf, notificationOf } from './notification.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const KEY = new Secret('quiet-api-key');

/** A notifier that posts events to a local receiver. */
async function setUp(definition: Partial<WebhookDefinition> | undefined = {}) {
  const service: Receiver = await startReceiver();
  const http = createHttpClient();
  closers.push(() => http.close(), service.close);
  const attempts: DeliveryAttempt[] = [];
  const known = {
    ...{ name: 'hook', url: 'https://hooks.example', headers: {}, payload: null, encodeAs: 'json' as const },
    ...definition,
  };
  const notifier = createEventNotifier({
    webhooks: [{ name: 'default', definition: () => known, variables: {} }],
    http,
    timeoutMs: 10_000,
    now: () => new Date(),
    eventsUrl: `${service.url}/api/v1/events`,
    headers: () => ({ 'SVC-API-KEY': KEY.reveal() }),
    secrets: [KEY],
    recordAttempt: (_route, _id, attempt) => void attempts.push(attempt),
  });
  const deliver = (notification: Notification = notificationOf()) =>
    notifier.deliver('default', notification, new AbortController().signal);
  const posted = () =>
    JSON.parse(service.deliveries()[0]?.body ?? '') as { title: string; text: string; tags: string[] };
  return { service, attempts, deliver, posted };
}

describe('an event in place of a call', () => {
  it('mentions the webhook and lists the changes', async () => {
    const { service, attempts, deliver, posted } = await setUp();
    expect(await deliver()).toMatchObject({ id: 'msg_0123456789abcdef', route: 'default', status: 200 });
    const [delivery] = service.deliveries();
    expect(delivery).toMatchObject({ method: 'POST', path: '/api/v1/events' });
    expect(delivery?.headers).toMatchObject({
      'svc-api-key': KEY.reveal(),
      'content-type': 'application/json',
    });
    expect(posted()).toEqual({
      title: '[high] shop/web: 1 opened',
      text: 'opened high: Prototype pollution (left-pad@\u200b1.2.3, GHSA-aaaa-bbbb-cccc)\n@webhook-hook',
      tags: expect.arrayContaining(['target:shop/web', 'team:web', 'lockhound_id:msg_0123456789abcdef']),
      alert_type: 'error',
      priority: 'normal',
      aggregation_key: 'msg_0123456789abcdef',
    });
    expect(attempts).toEqual([expect.objectContaining({ status: 200 })]);
  });

  it('mentions nothing else, for any name of a package', async () => {
    const { deliver, posted } = await setUp();
    const evil = changeOf('@webhook-other', 'call @pagerduty and @webhook-evil');
    const target = { id: '@webhook-target', labels: { team: '@webhook-label' } };
    await deliver({ ...notificationOf([evil]), target });
    const { title, text, tags } = posted();
    expect([title, text, ...tags].join('\n').match(/@(?!\u200b)[^\s]+/g)).toEqual(['@webhook-hook']);
  });

  it('uses the name of the webhook on the platform', async () => {
    const { deliver, posted } = await setUp({ name: 'renamed' });
    await deliver();
    expect(posted().text).toMatch(/\n@webhook-renamed$/);
  });

  it('stays within the limits of the platform, counts what is left out, and keeps the mention', async () => {
    const { deliver, posted } = await setUp();
    const resolved = changeOf('gone', 'Old news', 'resolved');
    const changes = [resolved, ...Array.from({ length: 300 }, (_, index) => changeOf(`package-${index}`))];
    const target = { id: 't'.repeat(600), labels: {} };
    await deliver({ ...notificationOf(changes), target });
    const { title, text } = posted();
    expect(title).toHaveLength(500);
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(text.length).toBeGreaterThan(3_800);
    const lines = text.split('\n');
    expect(lines.at(-1)).toBe('@webhook-hook');
    expect(lines.at(-2)).toBe(`… and ${301 - (lines.length - 2)} more changes`);
    expect(text).not.toContain('Old news');
  });

  it('never cuts a character in two', async () => {
    const { deliver, posted } = await setUp();
    for (const length of [240, 241]) {
      const target = { id: `${'t'.repeat(length)}${'😀'.repeat(200)}`, labels: {} };
      await deliver({ ...notificationOf(), target });
      expect(posted().title.isWellFormed()).toBe(true);
    }
  });

  it.each([
    [400, false],
    [403, true],
    [429, true],
    [500, true],
  ])('HTTP %i of the platform, without credentials in messages', async (status, retryable) => {
    const { service, deliver, attempts } = await setUp();
    service.faults.inject({ kind: 'answer', status, body: `you sent ${KEY.reveal()}` });
    const error = await deliver().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'receiver-refused', retryable });
    expect(attempts).toEqual([expect.objectContaining({ status, answer: 'you sent (secret)' })]);
    expect(inspect([error, attempts], { depth: 9 })).not.toContain('quiet');
  });
});
