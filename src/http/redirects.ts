import type { HttpClient, HttpResponse } from './client.ts';
import { HttpError, printableUrl } from './errors.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface GetOptions {
  readonly signal: AbortSignal;
  /** Headers for each URL on the way. Default: none. */
  readonly headersFor?: (url: URL) => Readonly<Record<string, string>>;
}

/**
 * The answer to a GET after all redirects. None leads from https to http or to another scheme. Throws `HttpError`; a redirect that
 * is not followed is `invalid-answer`.
 */
export async function getFollowing(
  http: HttpClient,
  start: string,
  { signal, headersFor = () => ({}) }: GetOptions,
): Promise<HttpResponse> {
  let url = new URL(start);
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    const response = await http.send({ method: 'GET', url: url.href, headers: headersFor(url), signal });
    const location = response.headers['location'];
    if (!REDIRECTS.has(response.status) || location === undefined) return response;
    url = redirected(start, url, location);
  }
  throw refused(start, `more than ${MAX_REDIRECTS} redirects`);
}

function redirected(start: string, from: URL, location: string): URL {
  const next = URL.parse(location, from.href);
  if (next === null || !/^https?:$/.test(next.protocol)) {
    throw refused(start, 'redirects to what is not an http or https URL');
  }
  if (from.protocol === 'https:' && next.protocol !== 'https:') {
    throw refused(start, 'redirects from https to http');
  }
  next.username = '';
  next.password = '';
  return next;
}

function refused(url: string, reason: string): HttpError {
  return new HttpError('redirected', `${printableUrl(url)}: ${reason}`);
}
