import { callWebhook, type WebhookCall } from './call.ts';
import { mentionsIn, type PlatformEvent, readEvent, variablesOf } from './event.ts';
import type { WebhookModel } from './model.ts';

type Answer = readonly [status: number, body: Readonly<Record<string, unknown>>];

/** Takes events and calls the webhooks that they mention. */
export interface EventDispatcher {
  take(body: Readonly<Record<string, unknown>> | undefined): Answer;
  events(): readonly PlatformEvent[];
  called(): readonly WebhookCall[];
  /** Resolves when nothing is being called any more. */
  settled(): Promise<void>;
}

export function createEventDispatcher(model: WebhookModel): EventDispatcher {
  const events: PlatformEvent[] = [];
  const called: WebhookCall[] = [];
  const underWay = new Set<Promise<void>>();

  async function call(name: string, event: PlatformEvent): Promise<void> {
    const webhook = model.webhooks.find((one) => one.name === name);
    if (webhook !== undefined) called.push(await callWebhook(webhook, model.variables, variablesOf(event)));
  }

  return {
    take(body) {
      const event = body === undefined ? 'Invalid JSON' : readEvent(body, events.length + 1);
      if (typeof event === 'string') return [400, { errors: [event] }];
      events.push(event);
      // The answer comes before the calls are made, as it does from the platform.
      for (const name of mentionsIn(event)) {
        const work = call(name, event);
        underWay.add(work);
        void work.finally(() => underWay.delete(work));
      }
      return [202, { status: 'ok', event: { id: Number(event.id), title: event.title, text: event.text } }];
    },
    events: () => [...events],
    called: () => [...called],
    settled: async () => void (await Promise.all(underWay)),
  };
}
