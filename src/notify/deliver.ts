import type { DeliveryReceipt, Notification } from '../model/notification.ts';
import type { Secret } from '../model/secret.ts';
import { type AttemptOptions, attemptDelivery } from './attempt.ts';
import type { VariableValue, WebhookDefinition } from './definition.ts';
import { NotifyError } from './errors.ts';
import { createMasker } from './masking.ts';
import { renderRequest } from './render.ts';
import { createSigner } from './signature.ts';
import { secretsIn, valuesOf } from './variables.ts';

export interface Route {
  /** What deliveries are recorded under; not the name of the webhook. */
  readonly name: string;
  /** As read back from the platform; `undefined` until it has been applied. */
  readonly definition: () => WebhookDefinition | undefined;
  readonly variables: Readonly<Record<string, VariableValue>>;
}

export interface NotifierOptions extends AttemptOptions {
  readonly webhooks: readonly Route[];
  /** Standard Webhooks secret. */
  readonly signingSecret?: Secret | undefined;
}

export interface Notifier {
  routes(): readonly string[];
  /** One attempt; throws `NotifyError`, `retryable` when another may go through. The queue is what repeats. */
  deliver(route: string, notification: Notification, signal: AbortSignal): Promise<DeliveryReceipt>;
}

/** Throws `NotifyError` (`header-invalid`) when the signing secret cannot be used. */
export function createNotifier(options: NotifierOptions): Notifier {
  const sign = createSigner(options.signingSecret);
  const routes = new Map(options.webhooks.map((route) => [route.name, route]));
  return {
    routes: () => [...routes.keys()],
    async deliver(name, notification, signal) {
      const route = routeNamed(routes, name);
      const definition = definitionOf(route);
      const secrets = [
        ...secretsIn(route.variables),
        ...(options.signingSecret ? [options.signingSecret] : []),
      ];
      return attemptDelivery(options, {
        route: name,
        notification,
        signal,
        mask: createMasker(secrets.map((secret) => secret.reveal())),
        prepare(at) {
          const request = renderRequest(definition, valuesOf(notification, route.variables));
          return { ...request, headers: { ...request.headers, ...sign(notification.id, at, request.body) } };
        },
      });
    },
  };
}

/** Throws `NotifyError` (`not-found`). */
export function routeNamed(routes: ReadonlyMap<string, Route>, name: string): Route {
  const route = routes.get(name);
  if (route !== undefined) return route;
  throw new NotifyError('not-found', `No route ${name} is configured: it was, when the scan was made`);
}

/** Throws `NotifyError` (`not-provisioned`). */
export function definitionOf({ name, definition }: Route): WebhookDefinition {
  const known = definition();
  if (known !== undefined) return known;
  throw new NotifyError(
    'not-provisioned',
    `The webhook of route ${name} has not been applied to the platform yet: the alert waits until it has been`,
    { retryable: true },
  );
}
