import type { HttpResponse } from '../http/client.ts';
import { HttpError, printableUrl } from '../http/errors.ts';
import { messageOf } from '../model/errors.ts';
import { isPassingStatus, NotifyError } from './errors.ts';
import { harmlessCause, type Masker } from './masking.ts';

const ANSWER_BYTES = 1024;

/** `undefined` for success (2xx), otherwise why the receiver did not take it. */
export function receiverRefusal(url: string, response: HttpResponse, mask: Masker): NotifyError | undefined {
  const { status, retryAfterMs } = response;
  if (status >= 200 && status < 300) return undefined;
  const where = `POST ${mask(printableUrl(url))}: HTTP ${status}`;
  if (status === 410) {
    return new NotifyError(
      'receiver-gone',
      `${where}: the receiver wants no more alerts; give the webhook another URL`,
    );
  }
  if (status >= 300 && status < 400) {
    return new NotifyError(
      'receiver-refused',
      `${where}: redirects are not followed; use the address it leads to`,
    );
  }
  return new NotifyError('receiver-refused', `${where}: the receiver did not take the alert`, {
    retryable: isPassingStatus(status),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** What a delivery without an answer is for us. A time limit of our own shows as an aborted request. */
export function receiverFailure(
  error: unknown,
  url: string,
  timedOut: { readonly afterMs: number } | undefined,
  mask: Masker,
): NotifyError {
  const cause = harmlessCause(error, mask);
  if (timedOut !== undefined) {
    const message = `POST ${mask(printableUrl(url))}: no whole answer within ${timedOut.afterMs} ms`;
    return new NotifyError('receiver-unreachable', message, { ...cause, retryable: true });
  }
  // Being told to stop says nothing about the receiver: another attempt may go through.
  const retryable = error instanceof HttpError && (error.retryable || error.code === 'aborted');
  return new NotifyError('receiver-unreachable', mask(messageOf(error)), { ...cause, retryable });
}

/** First KiB of an answer, as text. Masked before it is cut: a mask does not find half a secret. */
export function answerText({ body }: HttpResponse, mask: Masker): string {
  const bytes = Buffer.from(mask(body.toString('utf8')), 'utf8');
  return bytes
    .subarray(0, ANSWER_BYTES)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
}
