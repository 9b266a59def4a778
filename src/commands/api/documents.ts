import type { RestDescription } from '../../discovery/description/description.ts';
import { type Directory, openDirectory } from '../../discovery/directory/directory.ts';
import { chooseApi } from '../../discovery/directory/directory-list.ts';
import { createDocumentSource } from '../../discovery/directory/document-source.ts';
import { DiscoveryError } from '../../discovery/errors.ts';
import { publicAddressesOnly } from '../../http/address-guard.ts';
import type { HttpClient } from '../../http/client.ts';
import { createHttpClient } from '../../http/undici-client.ts';
import { createMemoryCache } from '../../in-process/memory-cache.ts';
import { bundledApi, readLocalDocument } from './read-document.ts';

export interface DocumentsOptions {
  /** Discovery service in which names are looked up that are neither bundled nor files. */
  readonly directory?: string | undefined;
}

/** Description documents, wherever they are. */
export interface Documents {
  /** A bundled name, a URL, an API of the directory (`name` or `name:version`), or a file. Our own names come first. */
  load(named: string, signal?: AbortSignal): Promise<RestDescription>;
  readonly http: HttpClient;
  /** From now on this URL's host may be called although it is not on the public internet: a person named it. */
  trust(url: string): void;
  close(): Promise<void>;
}

const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/**
 * Opens what a command needs to find documents. Links in a directory are other people's: they lead to the public
 * internet or to a host that the person named.
 */
export function openDocuments({ directory }: DocumentsOptions = {}): Documents {
  const trusted = new Set<string>();
  const publicOnly = publicAddressesOnly();
  const http = createHttpClient({
    maxResponseBytes: MAX_DOCUMENT_BYTES,
    guard: (address, host) => trusted.has(host) || publicOnly(address, host),
  });
  const trust = (url: string) => {
    const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '');
    if (host !== undefined) trusted.add(host);
  };
  const source = createDocumentSource({ http, cache: createMemoryCache() });
  let opened: Promise<Directory> | undefined;
  if (directory !== undefined) trust(directory);
  return {
    http,
    trust,
    close: () => http.close(),
    async load(named, signal) {
      if (/^https?:\/\//i.test(named)) {
        trust(named);
        return (await source.fetch(named, signal)).document;
      }
      // With a directory `insights` is our own document and `insights:v3alpha` the one that is published.
      const isOwn = !named.includes(':') && bundledApi(named) !== undefined;
      if (directory === undefined || isOwn || /[/\\]|\.json$/.test(named)) {
        return await readLocalDocument(named);
      }
      opened ??= openDirectory({ http, url: directory });
      const [name = ''] = named.split(':');
      const items = await (await opened).list({ name, ...(signal === undefined ? {} : { signal }) });
      const { id, documentUrl } = chooseApi(items, named);
      if (documentUrl === undefined) {
        throw new DiscoveryError('unknown-api', `the directory does not say where the document of ${id} is`);
      }
      return (await source.fetch(documentUrl, signal)).document;
    },
  };
}
