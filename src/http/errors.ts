import { CodedError } from '../model/errors.ts';

export type HttpErrorCode =
  | 'invalid-url'
  | 'address-refused'
  | 'connect-failed'
  | 'connection-lost'
  | 'timeout'
  | 'too-large'
  | 'invalid-answer'
  | 'aborted';

/** There is no answer, or none that can be read. Messages name the URL without user information and query. */
export class HttpError extends CodedError<HttpErrorCode> {}

/** The URL as it may be shown: credentials often sit in user information or query. */
export function printableUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? '(malformed URL)' : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}
