import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import type { NotifyConfig } from '../config/notify.ts';
import { publicAddressesOnly } from '../http/address-guard.ts';
import type { HttpClient } from '../http/client.ts';
import { createHttpClient } from '../http/undici-client.ts';
import { deliverNotification } from '../jobs/deliver-notification.ts';
import type { NotifierPort } from '../jobs/ports.ts';
import type { DeliveryAttempt } from '../model/alert/notification.ts';
import { messageOf } from '../model/errors.ts';
import type { AttemptOptions } from '../notify/delivery/attempt.ts';
import { createNotifier, type Notifier, type Route } from '../notify/delivery/deliver.ts';
import { createEventNotifier } from '../notify/delivery/platform-event.ts';
import { gateRoutes, type RouteStops } from '../notify/delivery/route-gate.ts';
import { credentialHeaders } from '../notify/platform/credentials.ts';
import type { Store } from './store.ts';
import type { WebhookAccount } from './webhook-account.ts';

export interface DeliveryParts {
  readonly notify: NotifyConfig;
  readonly secrets: LoadedConfig['secrets'];
  readonly webhooks: readonly Route[];
  /** For `delivery: platform-event`. */
  readonly platform: WebhookAccount | undefined;
  readonly store: Store;
  readonly log: Logger;
  /** In place of writing attempts down with the deliveries. */
  readonly recordAttempt?: (attempt: DeliveryAttempt) => void;
}

export interface DeliveryHandle {
  readonly port: NotifierPort;
  /** The same without the gate: stops no route and asks for none. */
  readonly notifier: Notifier;
  close(): Promise<void>;
}

/** The way of a notification to its receiver, straight or through an event on the platform. */
export function createDelivery(parts: DeliveryParts): DeliveryHandle {
  const { notify } = parts;
  // The addresses of receivers are other people's, that of the platform is the operator's own.
  const outbound = createHttpClient({
    totalTimeoutMs: notify.timeout,
    guard: publicAddressesOnly(notify.allowAddresses),
  });
  const { platform } = parts;
  const throughPlatform = notify.delivery === 'platform-event' && platform !== undefined;
  const notifier = throughPlatform ? throughEvents(parts, platform) : direct(parts, outbound);
  return {
    port: gateRoutes(notifier, {
      stops: loudStops(parts),
      concurrency: deliverNotification.limits.concurrency,
    }),
    notifier,
    close: () => outbound.close(),
  };
}

/** That a route is stopped is for somebody to act on: the log says how. */
function loudStops({ store, log }: DeliveryParts): RouteStops {
  return {
    stoppedRoute: store.deliveries.stoppedRoute,
    async stopRoute(route, reason) {
      if (!(await store.deliveries.stopRoute(route, reason))) return;
      const advice = `mend it, then \`lockhound deliveries resume ${route}\``;
      log.error({ route, reason }, `route ${route} is stopped and its alerts are held: ${advice}`);
    },
  };
}

function direct(parts: DeliveryParts, http: HttpClient): Notifier {
  const { webhooks, secrets } = parts;
  const { signingSecret } = secrets;
  return createNotifier({
    ...attemptOptions(parts, http),
    webhooks,
    ...(signingSecret === undefined ? {} : { signingSecret }),
  });
}

function throughEvents(
  parts: DeliveryParts,
  { url, eventsPath, credentials, http }: WebhookAccount,
): Notifier {
  const { webhooks, log, secrets } = parts;
  if (secrets.signingSecret !== undefined) {
    log.warn(
      '`notify.signingSecret` is not used: with `delivery: platform-event` the platform calls, unsigned',
    );
  }
  return createEventNotifier({
    ...attemptOptions(parts, http),
    webhooks,
    eventsUrl: url.replace(/\/$/, '') + eventsPath,
    headers: credentialHeaders(credentials),
    secrets: [credentials.apiKey, credentials.applicationKey],
  });
}

function attemptOptions(parts: DeliveryParts, http: HttpClient): AttemptOptions {
  const { notify, store, log } = parts;
  return {
    http,
    timeoutMs: notify.timeout,
    now: () => new Date(),
    recordAttempt: (route, notification, attempt) =>
      parts.recordAttempt === undefined
        ? recordAttempt(store, log, route, notification, attempt)
        : parts.recordAttempt(attempt),
  };
}

/**
 * An attempt that cannot be written down must not count as failed when the receiver took the alert: the outcome is what
 * decides, and where that cannot be saved either, the same alert is sent again under the same id.
 */
async function recordAttempt(
  store: Store,
  log: Logger,
  route: string,
  notification: string,
  attempt: DeliveryAttempt,
): Promise<void> {
  log.info({ route, notification, attempt }, 'delivery attempt');
  try {
    await store.deliveries.addAttempt(notification, attempt);
  } catch (error) {
    log.warn({ notification, error: messageOf(error) }, 'a delivery attempt could not be recorded');
  }
}
