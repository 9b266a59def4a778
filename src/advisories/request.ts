import type { HttpClient, HttpResponse } from '../http/client.ts';
import { printableUrl } from '../http/errors.ts';
import { getFollowing } from '../http/redirects.ts';
import { messageOf } from '../model/errors.ts';
import { AdvisoryError } from './errors.ts';

/** The connection for requests about advisories, and the signal that stops them. */
export interface RequestOptions {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
}

/** Requests a URL. Throws `AdvisoryError` (`unavailable`) without an answer, and the reason of the signal. */
export async function request(
  url: string,
  headers: Readonly<Record<string, string>>,
  { http, signal }: RequestOptions,
): Promise<HttpResponse> {
  try {
    return await getFollowing(http, url, { signal, headersFor: () => headers });
  } catch (cause) {
    signal.throwIfAborted();
    throw unavailable(url, messageOf(cause), cause);
  }
}

/** Requests a part of what a URL has (RFC 9110, "Range Requests"). Throws as `request` does. */
export function requestPart(
  url: string,
  part: { readonly from: number; readonly bytes: number },
  condition: Readonly<Record<string, string>>,
  options: RequestOptions,
): Promise<HttpResponse> {
  const range = `bytes=${part.from}-${part.from + part.bytes - 1}`;
  return request(url, { 'accept-encoding': 'identity', range, ...condition }, options);
}

export function unavailable(url: string, reason: string, cause?: unknown): AdvisoryError {
  return new AdvisoryError('unavailable', `${printableUrl(url)}: ${reason}`, { cause, retryable: true });
}
