import { randomUUID } from 'node:crypto';
import { createLogger } from '../../compose/logger.ts';
import { type NotifierHandle, openNotifier } from '../../compose/notify/notifier.ts';
import { openStore } from '../../compose/store.ts';
import { ConfigError } from '../../config/errors.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { DeliveryAttempt } from '../../model/alert/delivery.ts';
import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import { closing } from '../../model/closing.ts';
import { CodedError } from '../../model/errors.ts';
import type { Transition } from '../../model/scan/transition.ts';
import { testNotification, type WebhookTest } from '../../notify/alert/test-notification.ts';
import { NotifyError } from '../../notify/errors.ts';
import { plan } from '../../notify/provisioning/provision.ts';
import { noWebhook, withErrorsOnly } from './webhook-admin.ts';

export interface WebhookTestOptions {
  /** Default: the only route, or `default`. */
  readonly route?: string | undefined;
  /** Default: `opened`, or the first transition that the route accepts. */
  readonly transition?: Transition | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends one alert that is marked as a test, in the same way as a worker, and returns the answer. Throws `ConfigError` for an
 * unknown route and `NotifyError` when nothing could be sent.
 */
export async function testWebhook(loaded: LoadedConfig, options: WebhookTestOptions): Promise<WebhookTest> {
  const { notify } = loaded.config;
  if (notify === undefined) throw noWebhook();
  const log = createLogger(withErrorsOnly(loaded));
  return await closing(openStore(loaded, log), (store) => {
    let attempt: DeliveryAttempt | undefined;
    const notifier = openNotifier(loaded, notify, store, log, (made) => {
      attempt = made;
    });
    return closing(notifier, (opened) => send(opened, options, () => attempt));
  });
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
  const kept = await requireApplied(notifier, route, signal);
  const id = `msg_test_${randomUUID()}`;
  const { mode = 'digest', match = {} } = notifier.routing.rules.find(({ name }) => name === route) ?? {};
  const transition = wanted ?? match.transitions?.[0] ?? 'opened';
  const notification = testNotification({ route, mode, id, transition, date: new Date().toISOString() });
  const outcome = await notifier.send(route, notification, signal).then(
    () => ({ delivered: true }),
    (error: unknown) => {
      // Any other error means that nothing was sent, which is not a result.
      if (!(error instanceof CodedError) || !error.code.startsWith('receiver-')) throw error;
      return { delivered: false, reason: error.message };
    },
  );
  const { status, durationMs, answer } = lastAttempt() ?? {};
  return { route, id, ...outcome, status, durationMs, answer, ...(kept.length === 0 ? {} : { kept }) };
}

/**
 * Throws `NotifyError` (`not-applied`) when the platform has another webhook than the configuration, or a variable that was changed there:
 * the test would send secrets to where nobody has configured them. With `drift: keep` the value of the platform counts as configured; the
 * result has a sentence for each such object.
 */
async function requireApplied(
  { webhooks: { platform, desired } }: NotifierHandle,
  route: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (platform === undefined) return [];
  const own = desired.webhooks.find((webhook) => webhook.route === route)?.name;
  const changes = await plan({ ...platform.account, desired, signal });
  const used = changes.filter(({ kind, name, drift }) => (kind === 'webhook' ? name === own : drift));
  const differing = used.filter(({ action }) => action === 'updated');
  if (differing.length === 0) {
    const kept = used.filter(({ action }) => action === 'kept');
    return kept.map((one) => `The ${sentenceOf(one)}${addressOf(one)}. \`notify.drift: keep\` keeps it.`);
  }
  throw new NotifyError(
    'not-applied',
    `${differing.map(sentenceOf).join('; ')}: nothing is sent. \`lockhound webhook plan\` shows it, \`lockhound webhook apply\` restores it`,
  );
}

function sentenceOf({ kind, name, drift, fields }: ProvisionChange): string {
  const how = drift ? 'was changed on the platform' : 'is not as configured';
  return `${kind} ${name} ${how} (${fields.map((field) => field.name).join(', ')})`;
}

function addressOf({ fields }: ProvisionChange): string {
  const url = fields.find(({ name }) => name === 'url')?.before;
  return url == null ? '' : `: its alerts go to ${url}`;
}

function chooseRoute(routes: readonly string[], asked: string | undefined): string {
  const [only] = routes;
  const chosen = asked ?? (routes.includes('default') ? 'default' : routes.length === 1 ? only : undefined);
  if (chosen !== undefined && routes.includes(chosen)) return chosen;
  const what = asked === undefined ? 'there are several routes' : `no route is named ${asked}`;
  throw new ConfigError('config-invalid', `${what}: choose one of ${routes.join(', ')} with --route`);
}
