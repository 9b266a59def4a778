import type { Notification } from '../../model/alert/notification.ts';
import { createMasker, type Secret } from '../../model/secret.ts';
import { type Alert, alertOf, fitChanges, tagsOf, truncateText, withoutMentions } from '../alert/alert.ts';
import { lineOf, moreText } from '../alert/message.ts';
import type { FittedRequest } from '../rendering/fit-request.ts';
import { secretsIn, valuesOf } from '../rendering/values.ts';
import { type AttemptOptions, attemptDelivery } from './attempt.ts';
import { definitionOf, type Notifier, type Route, routeNamed } from './deliver.ts';

export interface EventNotifierOptions extends AttemptOptions {
  readonly webhooks: readonly Route[];
  /** The platform's URL for events. */
  readonly eventsUrl: string;
  /** Credential headers; called for every attempt. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** The credentials, which records and errors must not hold. */
  readonly secrets: readonly Secret[];
}

/** Limits of the platform, in characters. */
const TITLE_LIMIT = 500;
const TEXT_LIMIT = 4_000;

/**
 * Posts an event whose text mentions `@webhook-NAME`; the platform then calls the webhook with its own copy of the secrets.
 * Such calls are unsigned, because the platform does not hold the signing secret. Receivers recognise repeats by the tag
 * `lockhound_id`.
 */
export function createEventNotifier(options: EventNotifierOptions): Notifier {
  const routes = new Map(options.webhooks.map((route) => [route.name, route]));
  return {
    async deliver(name, notification, signal) {
      const route = routeNamed(routes, name);
      const { name: webhook } = definitionOf(route);
      const secrets = [...options.secrets, ...secretsIn(route.variables)];
      return attemptDelivery(options, {
        route: name,
        notification,
        signal,
        mask: (text) => createMasker(secrets.flatMap((secret) => secret.known()))(text),
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
    // The platform shows an event that is posted twice, because its answer was lost, as one.
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

/** One line for each change that fits, worst first, and always the mention. */
function textOf(alert: Alert, mention: string): { readonly text: string; readonly leftOut: number } {
  const { kept, leftOut } = fitChanges(
    alert,
    (change) => withoutMentions(lineOf(change)),
    TEXT_LIMIT - mention.length - `\n… ${moreText(1_000_000)}`.length - 1,
    (line) => line.length + 1,
  );
  const more = leftOut === 0 ? [] : [`… ${moreText(leftOut)}`];
  return { text: [...kept, ...more, mention].join('\n'), leftOut };
}
