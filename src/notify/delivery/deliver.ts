import type { DeliveryReceipt, Notification } from '../../model/alert/notification.ts';
import { createMasker } from '../../model/masking.ts';
import type { Secret } from '../../model/secret.ts';
import { NotifyError } from '../errors.ts';
import { fitRequest } from '../rendering/fit-request.ts';
import { renderRequest } from '../rendering/render-request.ts';
import { secretsIn, valuesOf } from '../rendering/values.ts';
import type { VariableValue, WebhookDefinition } from '../webhooks/definition.ts';
import { type AttemptOptions, attemptDelivery } from './attempt.ts';
import { createSigner, type Signer } from './signature.ts';

export interface Route {
  /** What deliveries are recorded under; not the name of the webhook. */
  readonly name: string;
  /** As read back from the platform; `undefined` until it has been applied. */
  readonly definition: () => WebhookDefinition | undefined;
  readonly variables: Readonly<Record<string, VariableValue>>;
  /** Of a body. Default 256 KiB. */
  readonly maxBytes?: number;
}

export interface NotifierOptions extends AttemptOptions {
  readonly webhooks: readonly Route[];
  /** Standard Webhooks secret. */
  readonly signingSecret?: Secret | undefined;
}

export interface Notifier {
  routes(): readonly string[];
  /**
   * One attempt; when the receiver finds it too large (413), more of them at once, each with half as much. Throws
   * `NotifyError`, `retryable` when another attempt may go through. The queue is what repeats.
   */
  deliver(route: string, notification: Notification, signal: AbortSignal): Promise<DeliveryReceipt>;
}

const MAX_BYTES = 256 * 1024;

/** From 256 KiB down to 2 KiB. */
const MOST_HALVINGS = 7;

/** Throws `NotifyError` (`header-invalid`) when the signing secret cannot be used. */
export function createNotifier(options: NotifierOptions): Notifier {
  const sign = createSigner(options.signingSecret);
  const routes = new Map(options.webhooks.map((route) => [route.name, route]));
  const taken: SizesTaken = new Map();
  return {
    routes: () => [...routes.keys()],
    async deliver(name, notification, signal) {
      const route = routeNamed(routes, name);
      return sendShortening(route, taken, sender(options, sign, route, notification, signal));
    },
  };
}

/** Sends the notification in a body of about so many bytes at most. */
type Send = (maxBytes: number) => Promise<DeliveryReceipt | TooLarge>;

interface TooLarge {
  readonly tooLarge: NotifyError;
  /** That were sent. */
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
  const mask = createMasker(secrets.map((secret) => secret.reveal()));
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

/** What receivers turned out to take, in bytes by route: they are not asked again with each alert. */
type SizesTaken = Map<string, number>;

/** Sends half as much for as long as the receiver finds it too large. */
async function sendShortening(
  { name, maxBytes = MAX_BYTES }: Route,
  taken: SizesTaken,
  send: Send,
): Promise<DeliveryReceipt> {
  for (let halvings = 0; ; halvings += 1) {
    const limit = Math.min(maxBytes, taken.get(name) ?? maxBytes);
    const answer = await send(limit);
    if (!('tooLarge' in answer)) return answer;
    const { tooLarge, bytes } = answer;
    // More than the limit: it does not get any shorter.
    if (bytes > limit || halvings === MOST_HALVINGS) {
      taken.delete(name);
      const message = `${tooLarge.message}, even at ${bytes} bytes`;
      throw new NotifyError('receiver-too-large', message, { cause: tooLarge });
    }
    taken.set(name, Math.floor(bytes / 2));
  }
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
