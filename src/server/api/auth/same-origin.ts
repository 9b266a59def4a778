import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../problem.ts';

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
  const own = [headers.host, publicUrl === undefined ? undefined : URL.parse(publicUrl)?.host];
  const { origin } = headers;
  const isForeignOrigin = origin !== undefined && !own.includes(URL.parse(origin)?.host);
  // Browsers send one of them with every write.
  const isUnknown = !isRead && site === undefined && origin === undefined;
  if (isForeignSite || isForeignOrigin || isUnknown) {
    throw new Refusal(403, 'origin-foreign', 'requests of other web sites are not answered');
  }
}
