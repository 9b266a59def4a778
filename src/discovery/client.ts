import type { HttpClient, HttpResponse } from '../http/client.ts';
import { printableUrl } from '../http/errors.ts';
import { jsonValue } from '../model/json-object.ts';
import { oneByOne } from '../model/yielding.ts';
import type { RestDescription } from './description/description.ts';
import { type CallArguments, compileRequest } from './request/compile.ts';

export interface ApiClientOptions {
  readonly document: RestDescription;
  readonly http: HttpClient;
  /** Replaces the document's `rootUrl`. */
  readonly rootUrl?: string | undefined;
  /** Headers that the format cannot describe (credentials); called for every request. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** All methods of the API only read, also those with POST: they may be repeated. */
  readonly readOnly?: boolean;
}

interface ApiCall extends Omit<CallArguments, 'rootUrl'> {
  readonly signal?: AbortSignal | undefined;
}

/** An answer with any status. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `text`: not JSON, but a plain-text error, an HTML page or a damaged answer. */
  readonly content:
    | { readonly kind: 'json'; readonly value: unknown }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'empty' };
  /** The bytes of the content, decompressed. */
  readonly body: Buffer;
  readonly retryAfterMs?: number | undefined;
  /** `GET https://host/path`, for messages. */
  readonly request: string;
}

/** Calls the methods of one description document, without knowledge of single methods and of the meaning of errors. */
export interface ApiClient {
  readonly document: RestDescription;
  /** Throws `DiscoveryError` before it sends and `HttpError` when there is no answer. */
  call(methodId: string, call?: ApiCall): Promise<ApiResponse>;
}

/** Larger answers take milliseconds to parse and check. Those that arrive together are read one by one. */
const LARGE_BYTES = 32_768;

export function createApiClient(options: ApiClientOptions): ApiClient {
  const { document, http, rootUrl, headers, readOnly = false } = options;
  const next = oneByOne();
  return {
    document,
    async call(methodId, { signal, ...call } = {}) {
      const request = compileRequest(document, methodId, {
        ...call,
        rootUrl,
      });
      const response = await http.send({
        ...request,
        headers: { ...request.headers, ...headers?.() },
        signal,
        idempotent: readOnly ? true : undefined,
      });
      if (response.body.length >= LARGE_BYTES) await next();
      return apiResponse(request, response);
    },
  };
}

/** The answer to a request for the caller. */
export function apiResponse(
  { method, url }: { readonly method: string; readonly url: string },
  response: HttpResponse,
): ApiResponse {
  const { status, headers, retryAfterMs } = response;
  return {
    status,
    headers,
    content: readContent(response),
    body: response.body,
    request: `${method} ${printableUrl(url)}`,
    retryAfterMs,
  };
}

/** The content of a body; its `content-type` may be wrong. */
export function readContent({
  headers,
  body,
}: Pick<HttpResponse, 'headers' | 'body'>): ApiResponse['content'] {
  if (body.length === 0) return { kind: 'empty' };
  const text = body.toString('utf8');
  const isJson = /^(?:$|application\/(?:[\w.-]+\+)?json\b)/i.test(headers['content-type'] ?? '');
  const value = isJson ? jsonValue(text) : undefined;
  // Not JSON, despite its type: the caller reports text where it expects a value.
  return value === undefined ? { kind: 'text', text } : { kind: 'json', value };
}
