import type { RestDescription } from '../../discovery/description/description.ts';
import { joinUrl } from '../../discovery/request/base-url.ts';

/** Names of this machine that mean another machine in a different container. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::]']);

/**
 * The document with the URL of the local service instead of the public one. `rootUrls` is by API name; `host` is the host
 * of the client's request (`127.0.0.1:8704`), the name by which the client reaches this machine. The document of an API
 * that does not run here is unchanged.
 */
export function localDocument(
  document: RestDescription,
  rootUrls: Readonly<Record<string, string>>,
  host: string,
): RestDescription {
  const { name = '', servicePath = '', batchPath: _notServed, ...rest } = document;
  const requested = URL.parse(`http://${host}`);
  const root = name === 'discovery' ? requested : URL.parse(rootUrlOf(name, rootUrls));
  if (root === null) return document;
  if (requested !== null && LOOPBACK.has(root.hostname)) root.hostname = requested.hostname;
  const rootUrl = joinUrl(root.href, '/');
  const baseUrl = joinUrl(rootUrl, servicePath);
  return { ...rest, name, rootUrl, servicePath, baseUrl, basePath: new URL(baseUrl).pathname };
}

function rootUrlOf(name: string, rootUrls: Readonly<Record<string, string>>): string {
  return (Object.hasOwn(rootUrls, name) ? rootUrls[name] : undefined) ?? '';
}
