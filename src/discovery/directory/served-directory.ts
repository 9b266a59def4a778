import type { RestDescription } from '../description/description.ts';
import { joinUrl } from '../request/base-url.ts';

/** The path of an API's document in a discovery service. */
export function documentPath(name: string, version: string): string {
  return `/discovery/v1/apis/${encodeURIComponent(name)}/${encodeURIComponent(version)}/rest`;
}

/**
 * The answer of `discovery.apis.list`. `root`: URL of the discovery service without a trailing slash. The version of each name that
 * comes first is preferred.
 */
export function directoryOf(
  all: readonly RestDescription[],
  parameters: ReadonlyMap<string, string>,
  root: string,
): object {
  const name = parameters.get('name');
  const preferred = new Set(new Map(all.toReversed().map((document) => [document.name, document])).values());
  const items = all
    .filter((document) => name === undefined || document.name === name)
    .filter((document) => parameters.get('preferred') !== 'true' || preferred.has(document))
    .map((document) => ({
      kind: 'discovery#directoryItem',
      id: `${document.name}:${document.version}`,
      name: document.name,
      version: document.version,
      title: document.title ?? '',
      description: document.description ?? '',
      discoveryRestUrl: root + documentPath(document.name ?? '', document.version ?? ''),
      icons: document.icons,
      documentationLink: document.documentationLink,
      labels: document.labels,
      preferred: preferred.has(document),
    }));
  return { kind: 'discovery#directoryList', discoveryVersion: 'v1', items };
}

/** The document with another root URL, for a service that runs elsewhere than its document says. */
export function withRootUrl(document: RestDescription, root: string): RestDescription {
  const { name = '', servicePath = '', batchPath: _notServed, ...rest } = document;
  const rootUrl = joinUrl(root, '/');
  const baseUrl = joinUrl(rootUrl, servicePath);
  return { ...rest, name, rootUrl, servicePath, baseUrl, basePath: new URL(baseUrl).pathname };
}
