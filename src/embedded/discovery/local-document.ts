import type { RestDescription } from '../../discovery/description/description.ts';
import { joinUrl } from '../../discovery/request/base-url.ts';

/** Names of this machine that mean another one to a client in another container. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::]']);

/**
 * The document with the address of the service that answers for it here: its own root URL is a public one. `rootUrls` is
 * by API name; `host` is the host that the client asked (`127.0.0.1:8704`), which the discovery service itself is at and
 * under whose name the client knows this machine. A document of an API that does not run here stays as it is.
 */
export function localDocument(
  document: RestDescription,
  rootUrls: Readonly<Record<string, string>>,
  host: string,
): RestDescription {
  const { name = '', servicePath = '', batchPath: _notServed, ...rest } = document;
  const asked = URL.parse(`http://${host}`);
  const root = name === 'discovery' ? asked : URL.parse(rootUrlOf(name, rootUrls));
  if (root === null) return document;
  if (asked !== null && LOOPBACK.has(root.hostname)) root.hostname = asked.hostname;
  const rootUrl = joinUrl(root.href, '/');
  const baseUrl = joinUrl(rootUrl, servicePath);
  return { ...rest, name, rootUrl, servicePath, baseUrl, basePath: new URL(baseUrl).pathname };
}

function rootUrlOf(name: string, rootUrls: Readonly<Record<string, string>>): string {
  return (Object.hasOwn(rootUrls, name) ? rootUrls[name] : undefined) ?? '';
}
