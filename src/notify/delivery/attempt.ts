import type { HttpClient, HttpResponse } from '../../http/client.ts';
import type { DeliveryAttempt, DeliveryReceipt } from '../../model/alert/delivery.ts';
import type { Notification } from '../../model/alert/notification.ts';
import { messageOf } from '../../model/errors.ts';
import type { Masker } from '../../model/masking.ts';
import type { FittedRequest } from '../rendering/fit-request.ts';
import type { RenderedRequest } from '../rendering/render-request.ts';
import { answerText, plainText, receiverFailure, receiverRefusal } from './receiver-outcome.ts';

/** More than is kept of an answer, because a secret is masked only when all of it was read. */
const READ_BYTES = 64 * 1024;

export interface AttemptOptions {
  readonly http: HttpClient;
  /** Limit for one attempt, from connecting to the end of the answer. */
  readonly timeoutMs: number;
  readonly now: () => Date;
  readonly userAgent?: string;
  /** Called for every attempt, also when rendering failed. Attempts hold no secret. */
  readonly recordAttempt: (
    route: string,
    notificationId: string,
    attempt: DeliveryAttempt,
  ) => Promise<void> | void;
}

export interface Attempt {
  readonly route: string;
  readonly notification: Notification;
  readonly signal: AbortSignal;
  readonly mask: Masker;
  /** The request to send at this time. */
  readonly prepare: (at: Date) => Promise<FittedRequest>;
}

/** Sends one POST and records it. Throws `NotifyError` when the receiver did not accept it. */
export async function attemptDelivery(options: AttemptOptions, attempt: Attempt): Promise<DeliveryReceipt> {
  const { route, notification, mask } = attempt;
  const at = options.now();
  const start = performance.now();
  const record = (rest: Partial<DeliveryAttempt>) =>
    options.recordAttempt(route, notification.id, {
      at: at.toISOString(),
      durationMs: Math.round(performance.now() - start),
      ...rest,
    });
  let sent: Pick<DeliveryAttempt, 'bytes' | 'leftOut'> = {};
  let request: RenderedRequest;
  let response: HttpResponse;
  try {
    const { bytes, leftOut, ...prepared } = await attempt.prepare(at);
    sent = { bytes, ...(leftOut > 0 && { leftOut }) };
    request = prepared.request;
    response = await send(options, attempt, request);
  } catch (error) {
    await record({ ...sent, error: plainText(mask(messageOf(error))) });
    throw error;
  }
  const answer = answerText(response, mask);
  const refusal = receiverRefusal(request.url, response, mask);
  const { status } = response;
  await record({ ...sent, status, answer, ...(refusal && { error: refusal.message }) });
  if (refusal !== undefined) throw refusal;
  return { id: notification.id, route, status, answer };
}

async function send(
  options: AttemptOptions,
  { signal, mask }: Attempt,
  request: RenderedRequest,
): Promise<HttpResponse> {
  const limit = AbortSignal.timeout(options.timeoutMs);
  try {
    return await options.http.send({
      method: 'POST',
      url: request.url,
      headers: { 'user-agent': options.userAgent ?? 'lockhound-webhook/1', ...request.headers },
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
