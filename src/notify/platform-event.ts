import type { Notification } from '../model/notification.ts';
import type { Secret } from '../model/secret.ts';
import { type AttemptOptions, attemptDelivery } from './attempt.ts';
import { cutText } from './cut-text.ts';
import { definitionOf, type Notifier, type Route, routeNamed } from './deliver.ts';
import { createMasker } from './masking.ts';
import { lineOf } from './notification-message.ts';
import { alarming, tagsOf } from './notification-summary.ts';
import type { RenderedRequest } from './render.ts';
import { secretsIn, valuesOf } from './variables.ts';

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
        prepare: () => eventRequest(options, webhook, notification),
      });
    },
  };
}

function eventRequest(
  { eventsUrl, headers }: EventNotifierOptions,
  webhook: string,
  notification: Notification,
): RenderedRequest {
  const values = valuesOf(notification, {});
  const event = {
    title: cutText(withoutMentions(values.get('EVENT_TITLE')?.text ?? ''), TITLE_LIMIT),
    text: textOf(notification, `@webhook-${webhook}`),
    tags: [...tagsOf(notification).map(withoutMentions), `lockhound_id:${notification.id}`],
    alert_type: values.get('ALERT_TYPE')?.text ?? 'warning',
    priority: values.get('PRIORITY')?.text ?? 'normal',
    // An event that is posted twice, because its answer was lost, is shown as one.
    aggregation_key: notification.id,
  };
  return {
    url: eventsUrl,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers() },
    body: JSON.stringify(event),
  };
}

/** One line for each change as long as there is room, those that are not resolutions first; the mention is always there. */
function textOf(notification: Notification, mention: string): string {
  const { changes } = notification;
  const open = new Set(alarming(notification));
  const ordered = [...open, ...changes.filter((change) => !open.has(change))];
  const room = TEXT_LIMIT - mention.length - '\n… and 1000000 more'.length - 1;
  const lines: string[] = [];
  let used = 0;
  for (const change of ordered) {
    const line = withoutMentions(lineOf(change));
    if (used + line.length + 1 > room) break;
    lines.push(line);
    used += line.length + 1;
  }
  const rest = ordered.length - lines.length;
  return [...lines, ...(rest === 0 ? [] : [`… and ${rest} more`]), mention].join('\n');
}

/**
 * Names of packages and titles come from others, and `@` in an event calls people and webhooks: a zero-width space after
 * it keeps the text readable and calls nobody.
 */
function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200b');
}
