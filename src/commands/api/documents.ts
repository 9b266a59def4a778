import { resolve } from 'node:path';
import { BUNDLED_APIS, readBundledDescription } from '../../discovery/bundled.ts';
import { parseDescription, type RestDescription } from '../../discovery/description/description.ts';
import { chooseApi, type Directory, openDirectory } from '../../discovery/directory/directory-list.ts';
import { createDocumentSource } from '../../discovery/directory/document-source.ts';
import { DiscoveryError } from '../../discovery/errors.ts';
import { FileError } from '../../files/errors.ts';
import { MAX_INPUT_BYTES, readFile } from '../../files/read-file.ts';
import { publicAddressesOnly } from '../../http/address-guard.ts';
import type { HttpClient } from '../../http/client.ts';
import { createHttpClient } from '../../http/undici-client.ts';
import { createMemoryCache } from '../../insights/disk-cache/memory-cache.ts';
import { closing } from '../../model/closing.ts';
import { messageOf } from '../../model/errors.ts';
import { ApiError } from './errors.ts';

/** A command on documents. */
export interface DocumentsOptions {
  /** Discovery service for names that are neither bundled documents nor files. */
  readonly directory?: string | undefined;
  readonly signal: AbortSignal;
}

const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Runs `work` with access to documents. Links in a directory lead to public addresses and to hosts that the user named. */
export async function withDocuments<Result>(
  options: DocumentsOptions,
  work: (documents: Documents) => Promise<Result>,
): Promise<Result> {
  const trusted = new Set<string>();
  const publicOnly = publicAddressesOnly();
  const http = createHttpClient({
    maxResponseBytes: MAX_DOCUMENT_BYTES,
    guard: (address, host) => trusted.has(host) || publicOnly(address, host),
  });
  return await closing(http, () => work(accessTo(http, trusted, options)));
}

/** Access to description documents: bundled, local and remote. */
export type Documents = ReturnType<typeof accessTo>;

function accessTo(http: HttpClient, trusted: Set<string>, { directory, signal }: DocumentsOptions) {
  const trust = (url: string) => {
    const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '');
    if (host !== undefined) trusted.add(host);
  };
  const source = createDocumentSource({ http, cache: createMemoryCache() });
  if (directory !== undefined) trust(directory);
  let opened: Promise<Directory> | undefined;
  return {
    http,
    /** Permits calls to the host of this URL even when its address is not public, because the user named it. */
    trust,
    /** Loads a bundled name, a URL, an API of the directory (`name` or `name:version`) or a file, in this order. */
    async load(named: string): Promise<RestDescription> {
      if (/^https?:\/\//i.test(named)) {
        trust(named);
        return (await source.fetch(named, signal)).document;
      }
      // With a directory `insights` is the bundled document and `insights:v3alpha` the published one.
      const isOwn = !named.includes(':') && bundledApi(named) !== undefined;
      if (directory === undefined || isOwn || /[/\\]|\.json$/.test(named)) {
        return await readLocalDocument(named);
      }
      opened ??= openDirectory({ http, url: directory });
      const [name = ''] = named.split(':');
      const items = await (await opened).list({ name, signal });
      const { id, documentUrl } = chooseApi(items, named);
      if (documentUrl === undefined) {
        throw new DiscoveryError('unknown-api', `the directory has no document URL for ${id}`);
      }
      return (await source.fetch(documentUrl, signal)).document;
    },
  };
}

/**
 * Reads a bundled document by its name (`insights`), or a file whose path is relative to `folder`. Throws `ApiError` (`document-not-found`) and `DiscoveryError` (`invalid-document`).
 */
export async function readLocalDocument(named: string, folder = '.'): Promise<RestDescription> {
  const bundled = bundledApi(named);
  if (bundled !== undefined) return await readBundledDescription(bundled);
  return parseDescription(await readDocumentFile(named, folder), named);
}

/** The bundled document of that name: `insights` or, with its version, `insights:v3alpha`. */
export function bundledApi(named: string) {
  const [name = '', version] = named.split(':');
  const api = BUNDLED_APIS.get(name);
  return version === undefined || api === `${name}.${version}` ? api : undefined;
}

/** The text of a file. Throws `ApiError` (`document-not-found`), which lists the possible names. */
export async function readDocumentFile(path: string, folder = '.'): Promise<string> {
  try {
    // JSON does not allow the byte order mark that some editors write.
    const content = await readFile(resolve(folder, path), { maxBytes: MAX_INPUT_BYTES });
    return content.toString('utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    if (cause instanceof FileError && cause.code === 'not-found') {
      throw new ApiError(
        'document-not-found',
        `${path}: no such file. Name a file, a URL or a bundled document: ${[...BUNDLED_APIS.keys()].join(', ')}. ` +
          'With --directory <url> also any API of that directory.',
        { cause },
      );
    }
    throw new ApiError('document-not-found', messageOf(cause), { cause });
  }
}
