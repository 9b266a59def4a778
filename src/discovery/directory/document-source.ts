import { createHash } from 'node:crypto';
import type { HttpClient, HttpResponse } from '../../http/client.ts';
import { printableUrl } from '../../http/errors.ts';
import type { Cache } from '../../model/ports/shared-state.ts';
import { retryOptions } from '../../model/retry-after.ts';
import { parseDescription, type RestDescription } from '../description/description.ts';
import { DiscoveryError } from '../errors.ts';

interface DocumentSourceOptions {
  readonly http: HttpClient;
  /** Stores documents with their validators, so that an unchanged one is not transferred again. */
  readonly cache: Cache;
}

export interface FetchedDocument {
  readonly document: RestDescription;
  /** The URL without user information and query, for messages. */
  readonly source: string;
  /** Whether the service confirmed the cached copy. */
  readonly revalidated: boolean;
}

export type DocumentSource = ReturnType<typeof createDocumentSource>;

/** A document as received, with the validators for the next request. */
interface CachedDocument {
  readonly text: string;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

const KIND = 'description-document';
const CACHE_MS = 30 * 24 * 3_600_000;

/** Fetches description documents by URL; a service that supports it sends only changed ones. */
export function createDocumentSource({ http, cache }: DocumentSourceOptions) {
  return {
    /** Throws `DiscoveryError` (`unavailable`, `invalid-document`) and `HttpError`. */
    async fetch(url: string, signal?: AbortSignal): Promise<FetchedDocument> {
      // URLs may contain credentials; their hash does not.
      const key = createHash('sha256').update(url).digest('hex');
      const cached = asCachedDocument((await cache.getMany(KIND, [key]))[0]);
      const response = await http.send({
        method: 'GET',
        url,
        headers: { accept: 'application/json', ...validators(cached) },
        signal,
      });
      const source = printableUrl(url);
      if (response.status === 304 && cached !== undefined) {
        return { document: parseDescription(cached.text, source), source, revalidated: true };
      }
      if (response.status !== 200) throw refused(response, source);
      const text = response.body.toString('utf8');
      const document = parseDescription(text, source);
      const { etag, 'last-modified': lastModified } = response.headers;
      if (etag !== undefined || lastModified !== undefined) {
        const received: CachedDocument = { text, etag, lastModified };
        await cache.setMany(KIND, [[key, received]], CACHE_MS);
      }
      return { document, source, revalidated: false };
    },
  };
}

function validators(cached: CachedDocument | undefined): Readonly<Record<string, string>> {
  return {
    ...(cached?.etag === undefined ? {} : { 'if-none-match': cached.etag }),
    ...(cached?.lastModified === undefined ? {} : { 'if-modified-since': cached.lastModified }),
  };
}

/** A value of another shape counts as absent. */
function asCachedDocument(value: unknown): CachedDocument | undefined {
  const cached = value as Partial<CachedDocument> | null | undefined;
  return typeof cached?.text === 'string' ? (cached as CachedDocument) : undefined;
}

function refused(response: HttpResponse, source: string): DiscoveryError {
  const message = `${source} answered HTTP ${response.status} where a document is expected`;
  return new DiscoveryError('unavailable', message, retryOptions(response));
}
