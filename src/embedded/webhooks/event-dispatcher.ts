import { callWebhook, type WebhookCall } from './call.ts';
import { mentionsIn, type PlatformEvent, readEvent, variablesOf } from './event.ts';
import type { WebhookModel } from './model.ts';

type Answer = readonly [status: number, body: Readonly<Record<string, unknown>>];

/** Accepts events and calls the webhooks that they mention. */
export interface EventDispatcher {
  accept(body: Readonly<Record<string, unknown>> | undefined): Answer;
  events(): readonly PlatformEvent[];
  called(): readonly WebhookCall[];
  /** Resolves when no call is active. */
  settled(): Promise<void>;
}

export function createEventDispatcher(model: WebhookModel): EventDispatcher {
  const events: PlatformEvent[] = [];
  const called: WebhookCall[] = [];
  const active = new Set<Promise<void>>();

  async function call(name: string, event: PlatformEvent): Promise<void> {
    const webhook = model.webhooks.all.find((one) => one.name === name);
    if (webhook === undefined) return;
    called.push(await callWebhook(webhook, model.variables.all, variablesOf(event)));
  }

  return {
    accept(body) {
      const event = body === undefined ? 'Invalid JSON' : readEvent(body, events.length + 1);
      if (typeof event === 'string') return [400, { errors: [event] }];
      events.push(event);
      // Like the platform, answers before the calls are made.
      for (const name of mentionsIn(event)) {
        const work = call(name, event);
        active.add(work);
        void work.finally(() => active.delete(work));
      }
      return [202, { status: 'ok', event: { id: Number(event.id), title: event.title, text: event.text } }];
    },
    events: () => [...events],
    called: () => [...called],
    settled: async () => void (await Promise.all(active)),
  };
}
