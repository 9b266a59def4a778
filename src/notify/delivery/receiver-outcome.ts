import type { HttpResponse } from '../../http/client.ts';
import { HttpError, printableUrl } from '../../http/errors.ts';
import { messageOf } from '../../model/errors.ts';
import { harmlessCause, type Masker } from '../../model/masking.ts';
import { retryOptions } from '../../model/retry-after.ts';
import { NotifyError } from '../errors.ts';

const ANSWER_BYTES = 1024;
/** The configuration has to change first. Everything else (a certificate that expired, say) others may mend meanwhile. */
const FINAL: ReadonlySet<string> = new Set(['invalid-url', 'address-refused']);

/** `undefined` for success (2xx), otherwise why the receiver did not take it. */
export function receiverRefusal(url: string, response: HttpResponse, mask: Masker): NotifyError | undefined {
  const { status } = response;
  if (status >= 200 && status < 300) return undefined;
  const where = `POST ${mask(printableUrl(url))}: HTTP ${status}`;
  if (status === 410) {
    return new NotifyError(
      'receiver-gone',
      `${where}: the receiver wants no more alerts; mend its address and resume the route`,
    );
  }
  if (status === 413) {
    return new NotifyError('receiver-too-large', `${where}: the alert is too large for the receiver`);
  }
  if (status >= 300 && status < 400) {
    return new NotifyError(
      'receiver-refused',
      `${where}: redirects are not followed; use the address it leads to`,
    );
  }
  const message = `${where}: the receiver did not take the alert`;
  return new NotifyError('receiver-refused', message, retryOptions(response));
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
  const retryable = error instanceof HttpError && !FINAL.has(error.code);
  return new NotifyError('receiver-unreachable', mask(messageOf(error)), { ...cause, retryable });
}

/**
 * First KiB of an answer, as one line of text without control characters. Masked before it is cut: a mask does not find
 * half a secret.
 */
export function answerText({ body }: HttpResponse, mask: Masker): string {
  return firstBytes(plainText(mask(body.toString('utf8'))), ANSWER_BYTES);
}

/** Control characters, line breaks among them, become spaces: a terminal and a log line stay what they are. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return text;
  // A character that is cut in two is left out.
  return new TextDecoder().decode(bytes.subarray(0, limit), { stream: true });
}
