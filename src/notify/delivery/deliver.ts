import { Webhook } from 'standardwebhooks';
import type { DeliveryReceipt } from '../../model/alert/delivery.ts';
import type { Notification } from '../../model/alert/notification.ts';
import { createMasker, type Masker, type Secret } from '../../model/secret.ts';
import { NotifyError } from '../errors.ts';
import { fitRequest } from '../rendering/fit-request.ts';
import { renderRequest } from '../rendering/render-request.ts';
import { secretsIn, valuesOf } from '../rendering/values.ts';
import type { VariableValue, WebhookDefinition } from '../webhooks/definition.ts';
import { type AttemptOptions, attemptDelivery } from './attempt.ts';

export interface Route {
  /** The name under which deliveries are recorded; not the name of the webhook. */
  readonly name: string;
  /** As read back from the platform; `undefined` until it has been applied. */
  readonly definition: () => WebhookDefinition | undefined;
  readonly variables: Readonly<Record<string, VariableValue>>;
  /** Maximum size of a body. Default 256 KiB. */
  readonly maxBytes?: number;
}

export interface NotifierOptions extends AttemptOptions {
  readonly webhooks: readonly Route[];
  /** Standard Webhooks secret. */
  readonly signingSecret?: Secret | undefined;
}

export interface Notifier {
  /**
   * Makes one attempt; when the receiver answers 413, immediately more attempts, each half as large. Throws `NotifyError`,
   * `retryable` when a later attempt may succeed. The queue repeats attempts.
   */
  deliver(route: string, notification: Notification, signal: AbortSignal): Promise<DeliveryReceipt>;
}

const MAX_BYTES = 256 * 1024;

/** From 256 KiB down to 2 KiB. */
const MAX_HALVINGS = 7;

/** Throws `NotifyError` (`header-invalid`) when the signing secret cannot be used. */
export function createNotifier(options: NotifierOptions): Notifier {
  const sign = createSigner(options.signingSecret);
  const routes = new Map(options.webhooks.map((route) => [route.name, route]));
  const accepted: AcceptedSizes = new Map();
  return {
    async deliver(name, notification, signal) {
      const route = routeNamed(routes, name);
      return sendShortening(route, accepted, sender(options, sign, route, notification, signal));
    },
  };
}

/** Sends the notification in a body of at most `maxBytes`, if its frame alone fits. */
type Send = (maxBytes: number) => Promise<DeliveryReceipt | TooLarge>;

interface TooLarge {
  readonly tooLarge: NotifyError;
  /** Size of the body that was sent. */
  readonly bytes: number;
}

function sender(
  options: NotifierOptions,
  sign: Signer,
  route: Route,
  notification: Notification,
  signal: AbortSignal,
): Send {
  const definition = definitionOf(route);
  const { signingSecret } = options;
  const secrets = [...secretsIn(route.variables), ...(signingSecret ? [signingSecret] : [])];
  // A secret may change while the attempt goes on.
  const mask: Masker = (text) => createMasker(secrets.flatMap((secret) => secret.known()))(text);
  return async (maxBytes) => {
    const fitted = fitRequest(notification, maxBytes, (alert) =>
      renderRequest(definition, valuesOf(alert, route.variables)),
    );
    const prepare = async (at: Date) => {
      const { request, ...size } = await fitted;
      const headers = { ...request.headers, ...sign(notification.id, at, request.body) };
      return { ...size, request: { ...request, headers } };
    };
    try {
      return await attemptDelivery(options, { route: route.name, notification, signal, mask, prepare });
    } catch (error) {
      if (!(error instanceof NotifyError) || error.code !== 'receiver-too-large') throw error;
      return { tooLarge: error, bytes: (await fitted).bytes };
    }
  };
}

/** The size that a receiver accepted after a 413, in bytes by route; later alerts begin with it. */
type AcceptedSizes = Map<string, number>;

/** Halves the body until the receiver accepts it. */
async function sendShortening(
  { name, maxBytes = MAX_BYTES }: Route,
  accepted: AcceptedSizes,
  send: Send,
): Promise<DeliveryReceipt> {
  for (let halvings = 0; ; halvings += 1) {
    const limit = Math.min(maxBytes, accepted.get(name) ?? maxBytes);
    const answer = await send(limit);
    if (!('tooLarge' in answer)) return answer;
    const { tooLarge, bytes } = answer;
    // Larger than the limit: it cannot be made smaller.
    if (bytes > limit || halvings === MAX_HALVINGS) {
      accepted.delete(name);
      const message = `${tooLarge.message}, even at ${bytes} bytes`;
      throw new NotifyError('receiver-too-large', message, { cause: tooLarge });
    }
    accepted.set(name, Math.floor(bytes / 2));
  }
}

/** Throws `NotifyError` (`not-found`). */
export function routeNamed(routes: ReadonlyMap<string, Route>, name: string): Route {
  const route = routes.get(name);
  if (route !== undefined) return route;
  throw new NotifyError(
    'not-found',
    `The route ${name} is no longer configured: add it to \`notify.routes\` again, then resend the delivery`,
  );
}

/** Throws `NotifyError` (`not-provisioned`). */
export function definitionOf({ name, definition }: Route): WebhookDefinition {
  const known = definition();
  if (known !== undefined) return known;
  throw new NotifyError(
    'not-provisioned',
    `The webhook of route ${name} is not applied, or has a fault that \`lockhound doctor\` names: its alerts wait`,
    { retryable: true },
  );
}

/** Returns the Standard Webhooks headers of one attempt. */
type Signer = (id: string, at: Date, body: string) => Readonly<Record<string, string>>;

/**
 * Sets `webhook-id` and `webhook-timestamp`, and `webhook-signature` when there is a secret (base64, usually after
 * `whsec_`). Throws `NotifyError` (`header-invalid`) immediately when the secret is not base64.
 */
function createSigner(secret: Secret | undefined): Signer {
  if (secret !== undefined) openSecret(secret);
  return (id, at, body) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    ...(secret && { 'webhook-signature': openSecret(secret).sign(id, at, body) }),
  });
}

function openSecret(secret: Secret): Webhook {
  try {
    return new Webhook(secret.reveal().trim());
  } catch {
    // The library's error describes the secret's characters: it is dropped.
    throw new NotifyError(
      'header-invalid',
      '`notify.signingSecret` is not valid: it must be base64, usually with the prefix `whsec_`',
    );
  }
}
