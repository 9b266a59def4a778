import type { HttpClient, HttpResponse } from '../../http/client.ts';
import { HttpError, printableUrl } from '../../http/errors.ts';
import type { DeliveryAttempt, DeliveryReceipt } from '../../model/alert/delivery.ts';
import type { Notification } from '../../model/alert/notification.ts';
import { messageOf } from '../../model/errors.ts';
import { retryOptions } from '../../model/retry-after.ts';
import { harmlessCause, type Masker } from '../../model/secret.ts';
import { timeLimit } from '../../model/time-limit.ts';
import { NotifyError } from '../errors.ts';
import type { FittedRequest } from '../rendering/fit-request.ts';
import type { RenderedRequest } from '../rendering/render-request.ts';

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

export interface PreparedDelivery {
  readonly route: string;
  readonly notification: Notification;
  readonly signal: AbortSignal;
  readonly mask: Masker;
  /** The request to send at this time. */
  readonly prepare: (at: Date) => Promise<FittedRequest>;
}

/** Sends one POST and records it. Throws `NotifyError` when the receiver did not accept it. */
export async function attemptDelivery(
  options: AttemptOptions,
  attempt: PreparedDelivery,
): Promise<DeliveryReceipt> {
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
  { signal, mask }: PreparedDelivery,
  request: RenderedRequest,
): Promise<HttpResponse> {
  const limit = timeLimit(options.timeoutMs, signal);
  try {
    return await options.http.send({
      method: 'POST',
      url: request.url,
      headers: { 'user-agent': options.userAgent ?? 'lockhound-webhook/1', ...request.headers },
      body: request.body,
      signal: limit.signal,
      idempotent: false,
      answerBytes: READ_BYTES,
    });
  } catch (error) {
    const timedOut = limit.isOver() ? { afterMs: options.timeoutMs } : undefined;
    throw receiverFailure(error, request.url, timedOut, mask);
  } finally {
    limit.release();
  }
}

const ANSWER_BYTES = 1024;
/**
 * The codes of errors that only a change of the configuration ends. Other errors, such as an expired certificate, may
 * be fixed elsewhere.
 */
const PERMANENT: ReadonlySet<string> = new Set(['invalid-url', 'address-refused']);
/** A token was replaced at the receiver, and soon here: the alert is not at fault. */
const REFUSED_CREDENTIALS: ReadonlySet<number> = new Set([401, 403]);

/** Why the receiver did not accept the alert; `undefined` for success (2xx). */
function receiverRefusal(url: string, response: HttpResponse, mask: Masker): NotifyError | undefined {
  const { status } = response;
  if (status >= 200 && status < 300) return undefined;
  const where = `POST ${mask(printableUrl(url))}: HTTP ${status}`;
  if (status === 410) {
    return new NotifyError(
      'receiver-gone',
      `${where}: the receiver no longer exists; correct its URL, then run \`lockhound deliveries resume\` for the route`,
    );
  }
  if (status === 413) {
    return new NotifyError('receiver-too-large', `${where}: the alert is too large for the receiver`);
  }
  if (status >= 300 && status < 400) {
    return new NotifyError(
      'receiver-refused',
      `${where}: redirects are not followed; configure the URL that it redirects to`,
    );
  }
  const message = `${where}: the receiver did not accept the alert`;
  const options = retryOptions(response);
  const retryable = options.retryable || REFUSED_CREDENTIALS.has(status);
  return new NotifyError('receiver-refused', message, { ...options, retryable });
}

/** The error for a delivery without an answer. `timedOut` is set when Lockhound's own time limit aborted it. */
function receiverFailure(
  error: unknown,
  url: string,
  timedOut: { readonly afterMs: number } | undefined,
  mask: Masker,
): NotifyError {
  const cause = harmlessCause(error, mask);
  if (timedOut !== undefined) {
    const message = `POST ${mask(printableUrl(url))}: no complete answer within ${timedOut.afterMs} ms`;
    return new NotifyError('receiver-unreachable', message, { ...cause, retryable: true });
  }
  const retryable = error instanceof HttpError && !PERMANENT.has(error.code);
  return new NotifyError('receiver-unreachable', mask(messageOf(error)), { ...cause, retryable });
}

/**
 * The first KiB of an answer as one line without control characters. Masked before it is cut, because a mask does not
 * find half a secret.
 */
function answerText({ body }: HttpResponse, mask: Masker): string {
  return firstBytes(plainText(mask(body.toString('utf8'))), ANSWER_BYTES);
}

/** Replaces control characters and line breaks by spaces, for terminals and log lines. */
function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return text;
  // With `stream` the decoder drops a character that was cut in two.
  return new TextDecoder().decode(bytes.subarray(0, limit), { stream: true });
}
