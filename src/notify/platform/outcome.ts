import type { ApiResponse } from '../../discovery/client.ts';
import { DiscoveryError } from '../../discovery/errors.ts';
import { HttpError } from '../../http/errors.ts';
import { createMasker, harmlessCause, type Masker } from '../../model/masking.ts';
import { isRateLimited, isTemporary, retryOptions } from '../../model/retry-after.ts';
import { NotifyError, type NotifyErrorCode } from '../errors.ts';

const MAX_QUOTE = 300;

/** The error for a call without an answer; `hidden` values are masked in its message. */
export function withoutAnswer(error: unknown, hidden: readonly string[]): unknown {
  const mask = createMasker(hidden);
  if (error instanceof DiscoveryError) {
    return new NotifyError('bad-request', mask(error.message), harmlessCause(error, mask));
  }
  if (!(error instanceof HttpError) || error.code === 'aborted') return error;
  const broken = error.code === 'too-large' || error.code === 'invalid-answer';
  return new NotifyError(broken ? 'contract' : 'unavailable', mask(error.message), {
    ...harmlessCause(error, mask),
    retryable: error.retryable,
  });
}

/** The error for an answer that is not a success. */
export function refusal(response: ApiResponse, hidden: readonly string[]): NotifyError {
  const { request, status } = response;
  const reason = reasonIn(response);
  const code = codeOf(status, reason);
  const mask = createMasker(hidden);
  const message = `${mask(request)}: HTTP ${status}, ${quote(reason, mask)}${adviceFor(code)}`;
  return new NotifyError(code, message, retryOptions(response));
}

/** The JSON object of a success. Throws `NotifyError` (`contract`). */
export function objectIn<Value>(response: ApiResponse, hidden: readonly string[]): Value {
  const { content, request, status } = response;
  if (content.kind === 'json' && typeof content.value === 'object' && content.value !== null) {
    return content.value as Value;
  }
  // A proxy may have answered or cut the answer short: a retry may succeed.
  const reason = quote(reasonIn(response), createMasker(hidden));
  throw new NotifyError('contract', `${request}: HTTP ${status}, ${reason} where a JSON object is expected`, {
    retryable: true,
  });
}

function codeOf(status: number, reason: string): NotifyErrorCode {
  if (status === 401 || status === 403) return 'authentication';
  if (status === 404) return 'not-found';
  if (isRateLimited({ status })) return 'too-many-requests';
  if (status === 409 || (status === 400 && /already exists/i.test(reason))) return 'conflict';
  if (isTemporary({ status })) return 'unavailable';
  return status < 400 ? 'contract' : 'bad-request';
}

function adviceFor(code: NotifyErrorCode): string {
  if (code === 'authentication') {
    return '. Check `notify.platform`: both keys, `headerPrefix`, the site, and the permissions of the application key';
  }
  return code === 'contract' ? '. Check the URL or site of `notify.platform`' : '';
}

/** The `errors` of the answer, otherwise its content. */
function reasonIn({ content }: ApiResponse): string {
  if (content.kind === 'empty') return '';
  if (content.kind === 'text')
    return /^\s*<(?:!doctype|html)/i.test(content.text) ? 'an HTML page' : content.text;
  const { value } = content;
  if (typeof value === 'object' && value !== null && 'errors' in value && Array.isArray(value.errors)) {
    return value.errors.map(String).join('; ');
  }
  return JSON.stringify(value);
}

/** Masked before it is cut, because a mask does not find half a secret. */
function quote(text: string, mask: Masker): string {
  const shown = mask(text).trim();
  return shown === '' ? 'without a reason' : JSON.stringify(shown.slice(0, MAX_QUOTE));
}
