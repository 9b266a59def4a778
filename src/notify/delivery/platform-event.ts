import type { Notification } from '../../model/alert/notification.ts';
import { createMasker } from '../../model/masking.ts';
import type { Secret } from '../../model/secret.ts';
import { type Alert, alertOf } from '../alert/alert.ts';
import { lineOf } from '../alert/message.ts';
import { tagsOf } from '../alert/summary.ts';
import { fitChanges } from '../alert/truncate.ts';
import { truncateText } from '../alert/truncate-text.ts';
import type { FittedRequest } from '../rendering/fit-request.ts';
import { secretsIn, valuesOf } from '../rendering/values.ts';
import { type AttemptOptions, attemptDelivery } from './attempt.ts';
import { definitionOf, type Notifier, type Route, routeNamed } from './deliver.ts';

export interface EventNotifierOptions extends AttemptOptions {
  readonly webhooks: readonly Route[];
  /** Where the platform takes events. */
  readonly eventsUrl: string;
  /** Credential headers; asked for on every attempt. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Values that nothing written down may hold: the credentials. */
  readonly secrets: readonly Secret[];
}

/** Limits of the platform, in characters. */
const TITLE_LIMIT = 500;
const TEXT_LIMIT = 4_000;

/**
 * Instead of calling a webhook posts an event that mentions it, so that the platform calls it, with its own copy of the
 * secrets (field notes: an event's text that mentions `@webhook-NAME` triggers it). Unsigned: the platform does not know
 * the signing secret. Receivers know repeats by the tag `lockhound_id`.
 */
export function createEventNotifier(options: EventNotifierOptions): Notifier {
  const routes = new Map(options.webhooks.map((route) => [route.name, route]));
  return {
    routes: () => [...routes.keys()],
    async deliver(name, notification, signal) {
      const route = routeNamed(routes, name);
      const { name: webhook } = definitionOf(route);
      const secrets = [...options.secrets, ...secretsIn(route.variables)];
      return attemptDelivery(options, {
        route: name,
        notification,
        signal,
        mask: createMasker(secrets.map((secret) => secret.reveal())),
        prepare: async () => eventRequest(options, webhook, notification),
      });
    },
  };
}

function eventRequest(
  { eventsUrl, headers }: EventNotifierOptions,
  webhook: string,
  notification: Notification,
): FittedRequest {
  const alert = alertOf(notification);
  const values = valuesOf(alert, {});
  const { text, leftOut } = textOf(alert, `@webhook-${webhook}`);
  const event = {
    title: truncateText(withoutMentions(values.get('EVENT_TITLE')?.text ?? ''), TITLE_LIMIT),
    text,
    tags: [...tagsOf(alert).map(withoutMentions), `lockhound_id:${notification.id}`],
    alert_type: values.get('ALERT_TYPE')?.text ?? 'warning',
    priority: values.get('PRIORITY')?.text ?? 'normal',
    // An event that is posted twice, because its answer was lost, is shown as one.
    aggregation_key: notification.id,
  };
  const body = JSON.stringify(event);
  const request = {
    url: eventsUrl,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers() },
    body,
  };
  return { request, bytes: Buffer.byteLength(body), leftOut };
}

/** One line for each change as long as there is room, the worst ones first; the mention is always there. */
function textOf(alert: Alert, mention: string): { readonly text: string; readonly leftOut: number } {
  const { kept, leftOut } = fitChanges(
    alert,
    (change) => withoutMentions(lineOf(change)),
    TEXT_LIMIT - mention.length - '\n… and 1000000 more'.length - 1,
    (line) => line.length + 1,
  );
  const more = leftOut === 0 ? [] : [`… and ${leftOut} more`];
  return { text: [...kept, ...more, mention].join('\n'), leftOut };
}

/**
 * Names of packages and titles come from others, and `@` in an event calls people and webhooks: a zero-width space after
 * it keeps the text readable and calls nobody.
 */
function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200b');
}
