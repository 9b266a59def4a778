import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../../operations/refusal.ts';

/** Name of the cookie, also in the OpenAPI document. */
export const SESSION_COOKIE = 'lockhound-session';

/** The secret of a session in the header `Cookie`. */
export function sessionSecretIn(cookies: string | undefined): string | undefined {
  for (const cookie of cookies?.split(';') ?? []) {
    const [name, value = ''] = cookie.trim().split('=', 2);
    if (name === SESSION_COOKIE && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

/** The header that sets the secret of a session. `isSecure`: browsers reach the server by https. */
export function cookieText(value: string, seconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Refuses requests that a page of another web site sends with the credentials of a browser. `publicUrl`: the origin of this server,
 * where a proxy changes the header `Host`. Throws `Refusal`.
 */
export function requireSameOrigin(
  method: string,
  headers: IncomingHttpHeaders,
  publicUrl: string | undefined,
): void {
  const site = headers['sec-fetch-site'];
  const isRead = method === 'GET' || method === 'HEAD';
  const isForeignSite = site !== undefined && site !== 'same-origin' && (site !== 'none' || !isRead);
  const { origin } = headers;
  const isForeignOrigin = origin !== undefined && !isOwn(origin, headers.host, publicUrl);
  // Browsers send one of them with every write.
  const isUnknown = !isRead && site === undefined && origin === undefined;
  if (isForeignSite || isForeignOrigin || isUnknown) {
    throw new Refusal(403, 'origin-foreign', 'requests of other web sites are not answered');
  }
}

/** `null` is the origin of pages without one, of any site. With `publicUrl` the scheme counts too: the server cannot see it behind a proxy. */
function isOwn(origin: string, host: string | undefined, publicUrl: string | undefined): boolean {
  const from = URL.parse(origin);
  if (from === null || !/^https?:$/.test(from.protocol) || from.origin !== origin) return false;
  const own = publicUrl === undefined ? null : URL.parse(publicUrl);
  return from.host === own?.host ? from.origin === own.origin : from.host === host?.toLowerCase();
}
