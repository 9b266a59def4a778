import type { RestDescription } from '../description/description.ts';
import { DiscoveryError } from '../errors.ts';

/**
 * The URL that the paths of methods are relative to: root URL and service path, or the deprecated `baseUrl` and `basePath`
 * when those are missing. Throws `DiscoveryError` (`invalid-document`) when the document has no URL and `rootUrl` is not
 * given.
 */
export function serviceUrl(document: RestDescription, rootUrl?: string): string {
  if (rootUrl === undefined && document.rootUrl === undefined && document.baseUrl !== undefined) {
    return document.baseUrl;
  }
  return joinUrl(rootUrlOf(document, rootUrl), document.servicePath ?? document.basePath ?? '');
}

/** The root URL, which media uploads are relative to. */
export function rootUrlOf(document: RestDescription, rootUrl?: string): string {
  const root = rootUrl ?? document.rootUrl ?? URL.parse(document.baseUrl ?? '')?.origin;
  if (root === undefined) {
    throw new DiscoveryError('invalid-document', `${document.id ?? 'The document'} has no rootUrl; give one`);
  }
  return root;
}

/** The root URL for a location. Throws `DiscoveryError` (`invalid-parameter`) with the available locations. */
export function endpointUrl({ endpoints = [], id }: RestDescription, location: string): string {
  const url = endpoints.find((endpoint) => endpoint.location === location)?.endpointUrl;
  if (url !== undefined) return url;
  const available = endpoints.flatMap((endpoint) => endpoint.location ?? []).join(', ');
  throw new DiscoveryError(
    'invalid-parameter',
    `${id ?? 'The document'} has no endpoint for ${JSON.stringify(location)}; it has ${available === '' ? 'none' : available}`,
  );
}

/** Joined by exactly one slash; an empty path adds none. */
export function joinUrl(base: string, path: string): string {
  if (path === '') return base;
  return `${base.replace(/(?<!\/)\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}

/** The template may have added a query to the URL. */
export function withQuery(url: string, query: string): string {
  if (query === '') return url;
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}
