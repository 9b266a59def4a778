import type { HttpResponse } from '../../http/client.ts';
import { HttpError, printableUrl } from '../../http/errors.ts';
import { messageOf } from '../../model/errors.ts';
import { harmlessCause, type Masker } from '../../model/masking.ts';
import { retryOptions } from '../../model/retry-after.ts';
import { NotifyError } from '../errors.ts';

const ANSWER_BYTES = 1024;
/** Only a change of the configuration helps. Other errors, such as an expired certificate, may be fixed elsewhere. */
const PERMANENT: ReadonlySet<string> = new Set(['invalid-url', 'address-refused']);

/** Why the receiver did not accept the alert; `undefined` for success (2xx). */
export function receiverRefusal(url: string, response: HttpResponse, mask: Masker): NotifyError | undefined {
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
  return new NotifyError('receiver-refused', message, retryOptions(response));
}

/** The error for a delivery without an answer. `timedOut` is set when Lockhound's own time limit aborted it. */
export function receiverFailure(
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
export function answerText({ body }: HttpResponse, mask: Masker): string {
  return firstBytes(plainText(mask(body.toString('utf8'))), ANSWER_BYTES);
}

/** Replaces control characters and line breaks by spaces, for terminals and log lines. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return text;
  // With `stream` the decoder drops a character that was cut in two.
  return new TextDecoder().decode(bytes.subarray(0, limit), { stream: true });
}
