import type { HttpClient, HttpResponse } from '../http/client.ts';
import { messageOf } from '../model/errors.ts';
import type { DeliveryAttempt, DeliveryReceipt, Notification } from '../model/notification.ts';
import type { Secret } from '../model/secret.ts';
import type { VariableValue, WebhookDefinition } from './definition.ts';
import { NotifyError } from './errors.ts';
import { createMasker, type Masker } from './masking.ts';
import { answerText, receiverFailure, receiverRefusal } from './receiver-outcome.ts';
import { type RenderedRequest, renderRequest } from './render.ts';
import { createSigner, type Signer } from './signature.ts';
import { secretsIn, valuesOf } from './variables.ts';

/** More than is kept of an answer: a secret that begins within it has to be seen whole to be masked. */
const READ_BYTES = 64 * 1024;

export interface Route {
  /** What deliveries are recorded under; not the name of the webhook. */
  readonly name: string;
  /** As read back from the platform; `undefined` until it has been applied. */
  readonly definition: () => WebhookDefinition | undefined;
  readonly variables: Readonly<Record<string, VariableValue>>;
}

export interface NotifierOptions {
  readonly webhooks: readonly Route[];
  readonly http: HttpClient;
  /** Standard Webhooks secret. */
  readonly signingSecret?: Secret | undefined;
  /** For one attempt, from connecting to the end of the answer. */
  readonly timeoutMs: number;
  readonly now: () => Date;
  readonly userAgent?: string;
  /** Told of every attempt, also of those that could not be rendered. Attempts hold no secret. */
  readonly recordAttempt: (
    route: string,
    notificationId: string,
    attempt: DeliveryAttempt,
  ) => Promise<void> | void;
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
      const route = routes.get(name);
      if (route === undefined) {
        throw new NotifyError('not-found', `No route ${name} is configured: it was, when the scan was made`);
      }
      const secrets = [
        ...secretsIn(route.variables),
        ...(options.signingSecret ? [options.signingSecret] : []),
      ];
      const mask = createMasker(secrets.map((secret) => secret.reveal()));
      return attempt({ options, route, notification, signal, sign, mask });
    },
  };
}

interface Delivery {
  readonly options: NotifierOptions;
  readonly route: Route;
  readonly notification: Notification;
  readonly signal: AbortSignal;
  readonly sign: Signer;
  readonly mask: Masker;
}

async function attempt(delivery: Delivery): Promise<DeliveryReceipt> {
  const { options, route, notification, mask } = delivery;
  const at = options.now();
  const start = performance.now();
  const definition = definitionOf(route);
  const record = (rest: Partial<DeliveryAttempt>) =>
    options.recordAttempt(route.name, notification.id, {
      at: at.toISOString(),
      durationMs: Math.round(performance.now() - start),
      ...rest,
    });
  let request: RenderedRequest;
  let response: HttpResponse;
  try {
    request = renderRequest(definition, valuesOf(notification, route.variables));
    response = await send(delivery, request, at);
  } catch (error) {
    await record({ error: mask(messageOf(error)) });
    throw error;
  }
  const answer = answerText(response, mask);
  const refusal = receiverRefusal(request.url, response, mask);
  const { status } = response;
  await record({ status, answer, ...(refusal === undefined ? {} : { error: refusal.message }) });
  if (refusal !== undefined) throw refusal;
  return { id: notification.id, route: route.name, status, answer };
}

function definitionOf({ name, definition }: Route): WebhookDefinition {
  const known = definition();
  if (known !== undefined) return known;
  const message = `The webhook of route ${name} has not been applied to the platform yet: the alert waits until it has been`;
  throw new NotifyError('not-provisioned', message, { retryable: true });
}

async function send(delivery: Delivery, request: RenderedRequest, at: Date): Promise<HttpResponse> {
  const { options, notification, signal, sign, mask } = delivery;
  const limit = AbortSignal.timeout(options.timeoutMs);
  try {
    return await options.http.send({
      method: 'POST',
      url: request.url,
      headers: {
        'user-agent': options.userAgent ?? 'lockhound-webhook/1',
        ...request.headers,
        ...sign(notification.id, at, request.body),
      },
      body: request.body,
      signal: AbortSignal.any([signal, limit]),
      idempotent: false,
      answerBytes: READ_BYTES,
    });
  } catch (error) {
    const timedOut = limit.aborted && !signal.aborted ? { afterMs: options.timeoutMs } : undefined;
    throw receiverFailure(error, request.url, timedOut, mask);
  }
}
