import { randomUUID } from 'node:crypto';
import { createLogger } from '../compose/logger.ts';
import { type NotifierHandle, openNotifier } from '../compose/notifier.ts';
import { openStore } from '../compose/store.ts';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { DeliveryAttempt } from '../model/alert/delivery.ts';
import { CodedError } from '../model/errors.ts';
import type { Transition } from '../model/scan/change.ts';
import { testNotification, type WebhookTest } from '../notify/alert/test-notification.ts';
import { noWebhook, quietly } from './webhook-admin.ts';

export interface WebhookTestOptions {
  /** Default: the only route, or `default`. */
  readonly route?: string;
  /** Default: `opened`, or the first one that the route takes. */
  readonly transition?: Transition;
  readonly signal: AbortSignal;
}

/**
 * Sends one marked alert through the definition that the platform (or without one the configuration) holds, exactly as a worker would, and says what came
 * back. Throws `ConfigError` for a route that is not configured and `NotifyError` when nothing could be sent.
 */
export async function testWebhook(loaded: LoadedConfig, options: WebhookTestOptions): Promise<WebhookTest> {
  const { notify } = loaded.config;
  if (notify === undefined) throw noWebhook();
  const log = createLogger(quietly(loaded));
  const store = await openStore(loaded, log);
  try {
    let attempt: DeliveryAttempt | undefined;
    const notifier = await openNotifier(loaded, notify, store, log, (made) => {
      attempt = made;
    });
    try {
      return await send(notifier, options, () => attempt);
    } finally {
      await notifier.close();
    }
  } finally {
    await store.close();
  }
}

async function send(
  notifier: NotifierHandle,
  { route: asked, transition: wanted, signal }: WebhookTestOptions,
  lastAttempt: () => DeliveryAttempt | undefined,
): Promise<WebhookTest> {
  const route = chooseRoute(
    notifier.routing.rules.map(({ name }) => name),
    asked,
  );
  await notifier.read(signal);
  const id = `msg_test_${randomUUID()}`;
  const { mode = 'digest', match = {} } = notifier.routing.rules.find(({ name }) => name === route) ?? {};
  const transition = wanted ?? match.transitions?.[0] ?? 'opened';
  const notification = testNotification({ route, mode, id, transition, date: new Date().toISOString() });
  const outcome = await notifier.send(route, notification, signal).then(
    () => ({ delivered: true }),
    (error: unknown) => {
      // Without an answer, or a reason why there was none, nothing was sent: that is no result of a test.
      if (!(error instanceof CodedError) || !error.code.startsWith('receiver-')) throw error;
      return { delivered: false, reason: error.message };
    },
  );
  const { status, durationMs, answer } = lastAttempt() ?? {};
  return {
    route,
    id,
    ...outcome,
    ...(status === undefined ? {} : { status }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(answer === undefined ? {} : { answer }),
  };
}

function chooseRoute(routes: readonly string[], asked: string | undefined): string {
  const [only] = routes;
  const chosen = asked ?? (routes.includes('default') ? 'default' : routes.length === 1 ? only : undefined);
  if (chosen !== undefined && routes.includes(chosen)) return chosen;
  const what = asked === undefined ? 'there are several routes' : `no route is named ${asked}`;
  throw new ConfigError('config-invalid', `${what}: choose one of ${routes.join(', ')} with --route`);
}
