import { CodedError, messageOf } from '../model/errors.ts';
import { tlsFault } from '../model/tls-fault.ts';

export type HttpErrorCode =
  | 'invalid-url'
  | 'address-refused'
  | 'connect-failed'
  | 'connection-lost'
  | 'timeout'
  | 'too-large'
  | 'invalid-answer'
  | 'redirected'
  | 'aborted'
  | 'offline';

/** There is no answer, or it cannot be read. Messages contain the URL without user information and query. */
export class HttpError extends CodedError<HttpErrorCode> {}

/** The URL without user information and query, which may contain credentials. */
export function printableUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? '(malformed URL)' : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

interface Failure {
  readonly code: HttpErrorCode;
  readonly reason: string;
  readonly retryable: boolean;
}

const FAILURES = new Map<string, Failure>([
  ['UND_ERR_CONNECT_TIMEOUT', { code: 'timeout', reason: 'no connection in time', retryable: true }],
  ['UND_ERR_HEADERS_TIMEOUT', { code: 'timeout', reason: 'no answer in time', retryable: true }],
  ['UND_ERR_BODY_TIMEOUT', { code: 'timeout', reason: 'the answer stopped arriving', retryable: true }],
  [
    'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    { code: 'too-large', reason: 'the answer is too large', retryable: false },
  ],
  [
    'UND_ERR_HEADERS_OVERFLOW',
    { code: 'invalid-answer', reason: 'its headers are too large', retryable: false },
  ],
  ['UND_ERR_SOCKET', { code: 'connection-lost', reason: 'the connection was lost', retryable: true }],
  ['ECONNRESET', { code: 'connection-lost', reason: 'the connection was reset', retryable: true }],
  ['EPIPE', { code: 'connection-lost', reason: 'the connection was closed', retryable: true }],
  ['ECONNREFUSED', { code: 'connect-failed', reason: 'the connection was refused', retryable: true }],
  ['ENOTFOUND', { code: 'connect-failed', reason: 'its host name is unknown', retryable: true }],
  [
    'EAI_AGAIN',
    { code: 'connect-failed', reason: 'its host name cannot be resolved at the moment', retryable: true },
  ],
  ['EHOSTUNREACH', { code: 'connect-failed', reason: 'its host cannot be reached', retryable: true }],
  ['ENETUNREACH', { code: 'connect-failed', reason: 'its network cannot be reached', retryable: true }],
  ['UND_ERR_DESTROYED', { code: 'aborted', reason: 'the client was closed', retryable: false }],
  ['UND_ERR_CLOSED', { code: 'aborted', reason: 'the client was closed', retryable: false }],
  ['ETIMEDOUT', { code: 'timeout', reason: 'no connection in time', retryable: true }],
  // The machine has them again when other connections have ended.
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'].map(
    (code) =>
      [
        code,
        { code: 'connect-failed', reason: `this machine has no socket left (${code})`, retryable: true },
      ] as const,
  ),
]);

/** The `HttpError` for an error of undici, a socket or a signal. */
export function toHttpError(error: unknown, method: string, url: string): HttpError {
  if (error instanceof HttpError) return error;
  const { code, reason, retryable } = classify(error);
  return new HttpError(code, `${method} ${printableUrl(url)}: ${reason}`, { cause: error, retryable });
}

function classify(error: unknown): Failure {
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError')
    return { code: 'timeout', reason: 'no complete answer in time', retryable: true };
  // undici states no code for it.
  if (name === 'HTTPParserError')
    return { code: 'invalid-answer', reason: 'the answer is not HTTP', retryable: false };
  const known = FAILURES.get(codeOf(error));
  if (known !== undefined) return known;
  // Certificates, and everything else that prevents a connection.
  return { code: 'connect-failed', reason: tlsFault(error) ?? messageOf(error), retryable: false };
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
