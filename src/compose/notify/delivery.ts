import type { Logger } from 'pino';
import type { LoadedConfig } from '../../config/load.ts';
import type { NotifyConfig } from '../../config/sections/notify.ts';
import { publicAddressesOnly } from '../../http/address-guard.ts';
import type { HttpClient } from '../../http/client.ts';
import { createHttpClient } from '../../http/undici-client.ts';
import { deliverNotification } from '../../jobs/deliver-notification.ts';
import type { DeliveryAttempt } from '../../model/alert/delivery.ts';
import type { Notification } from '../../model/alert/notification.ts';
import { messageOf } from '../../model/errors.ts';
import { type DeliveryMeasured, deliveryAttempts } from '../../model/telemetry.ts';
import { alertOf } from '../../notify/alert/alert.ts';
import type { AttemptOptions } from '../../notify/delivery/attempt.ts';
import { createNotifier, type Notifier, type Route } from '../../notify/delivery/deliver.ts';
import { createEventNotifier } from '../../notify/delivery/platform-event.ts';
import { createRouteGate, type RouteStops } from '../../notify/delivery/route-gate.ts';
import { NotifyError } from '../../notify/errors.ts';
import { credentialHeaders } from '../../notify/platform/credentials.ts';
import { renderUrl } from '../../notify/rendering/render-url.ts';
import { valuesOf } from '../../notify/rendering/values.ts';
import type { Store } from '../store.ts';
import type { WebhookAccount } from './webhooks.ts';

interface DeliveryParts {
  readonly notify: NotifyConfig;
  readonly secrets: LoadedConfig['secrets'];
  readonly webhooks: readonly Route[];
  /** For `delivery: platform-event`. */
  readonly platform: WebhookAccount | undefined;
  /** The store of any shard: they share the stopped routes. */
  readonly store: Store;
  readonly log: Logger;
  /** Receives attempts in place of the delivery store. */
  readonly recordAttempt?: ((attempt: DeliveryAttempt) => void) | undefined;
}

/** Delivery of notifications: directly to the receiver or through an event on the platform. */
export function createDelivery(parts: DeliveryParts) {
  const { notify } = parts;
  // Receivers must have public addresses. The platform is the operator's choice and may have any.
  const outbound = createHttpClient({
    service: 'receiver',
    totalTimeoutMs: notify.timeout,
    guard: publicAddressesOnly(notify.allowAddresses),
  });
  const { platform } = parts;
  const throughPlatform = notify.delivery === 'platform-event' && platform !== undefined;
  if (throughPlatform && parts.secrets.signingSecret !== undefined) {
    parts.log.warn(
      '`notify.signingSecret` is not used: with `delivery: platform-event` the calls of the platform are unsigned',
    );
  }
  const gate = createRouteGate({
    stops: loggedStops(parts),
    concurrency: deliverNotification.limits.concurrency,
    routes: parts.webhooks.length,
  });
  const linked = linker(notify.link);
  /** Delivers without regard to stopped routes, and never stops a route. Attempts are recorded in `store`. */
  const notifierOf = (store: Store): Notifier => {
    const own = { ...parts, store };
    const { deliver } = throughPlatform ? eventNotifier(own, platform) : directNotifier(own, outbound);
    return { deliver: (route, notification, signal) => deliver(route, linked(notification), signal) };
  };
  return {
    notifierOf,
    /** The shards of a process share the concurrent deliveries. */
    portOf: (store: Store) => gate(notifierOf(store)),
    close: () => outbound.close(),
  };
}

/** Logs that a route was stopped and how to resume it: an operator has to act. */
function loggedStops({ store, log }: DeliveryParts): RouteStops {
  return {
    stoppedRoute: store.deliveries.stoppedRoute,
    resumptions: store.deliveries.resumptions,
    async stopRoute(route, reason, resumptions) {
      const ending = await store.deliveries.stopRoute(route, reason, resumptions);
      if (ending !== 'stopped') return ending;
      const advice = `repair the receiver, then run \`lockhound deliveries resume ${route}\``;
      log.error({ route, reason }, `route ${route} is stopped and its alerts are held: ${advice}`);
      return ending;
    },
  };
}

function directNotifier(parts: DeliveryParts, http: HttpClient): Notifier {
  const { webhooks, secrets } = parts;
  return createNotifier({ ...attemptOptions(parts, http), webhooks, signingSecret: secrets.signingSecret });
}

function eventNotifier(
  parts: DeliveryParts,
  { url, eventsPath, credentials, http }: WebhookAccount,
): Notifier {
  const { webhooks } = parts;
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
    recordAttempt: (route, notification, attempt) => {
      const { durationMs } = attempt;
      deliveryAttempts.publish({ route, result: resultOf(attempt), durationMs });
      return parts.recordAttempt === undefined
        ? recordAttempt(store, log, route, notification, attempt)
        : parts.recordAttempt(attempt);
    },
  };
}

function resultOf({ status, error }: DeliveryAttempt): DeliveryMeasured['result'] {
  if (status === undefined) return 'failed';
  return error === undefined ? 'accepted' : 'refused';
}

/**
 * A failure to record an attempt does not fail the delivery: the receiver may have accepted the alert. When the outcome
 * cannot be saved either, the alert is sent again under the same id.
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

/** Adds the link to the details page to a notification, from the template `notify.link`. */
function linker(template: string | undefined): (notification: Notification) => Notification {
  return (notification) => {
    if (template === undefined) return notification;
    try {
      return {
        ...notification,
        link: renderUrl(template, valuesOf(alertOf(notification), {}), '`notify.link`'),
      };
    } catch (error) {
      // A target named `..` has no page; the alert is sent without a link.
      if (error instanceof NotifyError) return notification;
      throw error;
    }
  };
}
