import { Webhook } from 'standardwebhooks';
import type { HttpClient, HttpResponse } from '../http/client.ts';
import { HttpError } from '../http/errors.ts';
import type { DeliveryAttempt, DeliveryReceipt, Notification } from '../model/notification.ts';
import type { Secret } from '../model/secret.ts';
import { NotifyError } from './errors.ts';
import { variablesOf } from './notification-variables.ts';
import type { WebhooksIntegration } from './platform/api.generated.ts';
import { type RenderedRequest, receiverName, renderRequest } from './render.ts';

export interface NotifierOptions {
  /** Name of the webhook; also the route. */
  readonly webhook: string;
  /** As it reads back from the platform; `undefined` as long as it is not provisioned. */
  readonly definition: () => WebhooksIntegration | undefined;
  /** Custom variables by name. */
  readonly variables: ReadonlyMap<string, string | Secret>;
  /** Must not retry and must guard addresses. */
  readonly http: HttpClient;
  readonly signingSecret?: Secret;
  /** Milliseconds for one attempt. */
  readonly timeoutMs: number;
  readonly now: () => Date;
  /** Told of every attempt; what it is told holds no secret. */
  readonly recordAttempt: (webhook: string, notification: string, attempt: DeliveryAttempt) => Promise<void>;
}

const ANSWER_CHARACTERS = 1_024;
const MASK = '(secret)';

/** Hands notifications to the webhook's receiver: one POST an attempt; the queue decides about the next one. */
export function createNotifier(options: NotifierOptions) {
  const custom = new Map<string, string>();
  const secrets: string[] = options.signingSecret === undefined ? [] : [options.signingSecret.reveal()];
  for (const [name, value] of options.variables) {
    custom.set(name, typeof value === 'string' ? value : value.reveal());
    if (typeof value !== 'string') secrets.push(value.reveal());
  }
  const mask = (text: string) => secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
  return {
    routes: (): readonly string[] => [options.webhook],
    async deliver(
      webhook: string,
      notification: Notification,
      signal: AbortSignal,
    ): Promise<DeliveryReceipt> {
      const definition = webhook === options.webhook ? options.definition() : undefined;
      if (definition === undefined) {
        throw new NotifyError('not-provisioned', `webhook "${webhook}" is not provisioned yet`, {
          retryable: true,
        });
      }
      const request = renderRequest(definition, variablesOf(notification, custom));
      return await attempt(options, notification, request, mask, signal);
    },
  };
}

async function attempt(
  options: NotifierOptions,
  { id }: Notification,
  request: RenderedRequest,
  mask: (text: string) => string,
  signal: AbortSignal,
): Promise<DeliveryReceipt> {
  const { webhook, now, recordAttempt } = options;
  const began = now();
  const finish = (outcome: Partial<DeliveryAttempt>) =>
    recordAttempt(webhook, id, {
      at: began.toISOString(),
      durationMs: now().getTime() - began.getTime(),
      ...outcome,
    });
  let response: HttpResponse;
  try {
    response = await post(options, id, request, began, signal);
  } catch (error) {
    const failure = unreachable(request.url, error, mask);
    await finish({ error: failure.message });
    throw failure;
  }
  const answer = mask(response.body.toString('utf8')).slice(0, ANSWER_CHARACTERS);
  await finish({ status: response.status, answer });
  if (response.status >= 200 && response.status < 300)
    return { id, webhook, status: response.status, answer };
  throw refused(request.url, response);
}

function post(
  { http, signingSecret, timeoutMs }: NotifierOptions,
  id: string,
  { url, headers, body }: RenderedRequest,
  at: Date,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return http.send({
    method: 'POST',
    url,
    headers: {
      ...headers,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      ...(signingSecret === undefined
        ? {}
        : { 'webhook-signature': new Webhook(signingSecret.reveal()).sign(id, at, body) }),
    },
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
}

function unreachable(url: string, error: unknown, mask: (text: string) => string): NotifyError {
  const reason = error instanceof Error ? error.message : String(error);
  // The message of an HTTP error names the URL's path, which may be a secret in itself: only the host is kept.
  const safe = mask(reason).replaceAll(/https?:\/\/[^\s:]+(?::\d+)?[^\s:]*/g, receiverName(url));
  const retryable = !(error instanceof HttpError) || error.code !== 'address-refused';
  const advice = retryable ? '' : '; list it in notify.allowAddresses if it is meant';
  return new NotifyError('receiver-unreachable', `receiver ${receiverName(url)}: ${safe}${advice}`, {
    cause: error,
    retryable,
  });
}

const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

function refused(url: string, { status, retryAfterMs }: HttpResponse): NotifyError {
  const message = `receiver ${receiverName(url)} answered HTTP ${status}`;
  if (status === 410)
    return new NotifyError('receiver-gone', `${message}: it does not want this webhook any more`);
  const retryable = status >= 500 || LATER.has(status);
  return new NotifyError('receiver-refused', message, {
    retryable,
    ...(retryable && retryAfterMs !== undefined ? { retryAfterMs } : {}),
  });
}
