import type { HttpClient, HttpResponse } from '../http/client.ts';
import { oneByOne } from '../model/turns.ts';
import type { RestDescription } from './description/description.ts';
import { type CallArguments, compileRequest } from './request/compile.ts';

export interface ApiClientOptions {
  readonly document: RestDescription;
  readonly http: HttpClient;
  /** Replaces the document's `rootUrl`. */
  readonly rootUrl?: string | undefined;
  /** Headers that the format cannot describe (credentials); asked for on every call. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Every method of the API only reads, its POSTs too: all of them may be repeated. */
  readonly readOnly?: boolean;
}

export interface ApiCall extends Omit<CallArguments, 'rootUrl'> {
  readonly signal?: AbortSignal | undefined;
}

/** An answer, whatever its status. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `text` is what was not JSON: a plain-text error, an HTML page, a broken answer. */
  readonly content:
    | { readonly kind: 'json'; readonly value: unknown }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'empty' };
  /** The same as it came, decompressed. */
  readonly body: Buffer;
  readonly retryAfterMs?: number | undefined;
  /** `GET https://host/path`, for messages. */
  readonly request: string;
}

/** Calls the methods of one description document. Knows no method by name and maps no errors. */
export interface ApiClient {
  readonly document: RestDescription;
  /** Throws `DiscoveryError` before sending and `HttpError` when there is no answer. */
  call(methodId: string, call?: ApiCall): Promise<ApiResponse>;
}

/** Some milliseconds to read, and to check: large answers that come at the same time are read one by one. */
const LARGE_BYTES = 32_768;

export function createApiClient(options: ApiClientOptions): ApiClient {
  const { document, http, rootUrl, headers, readOnly = false } = options;
  const next = oneByOne();
  return {
    document,
    async call(methodId, { signal, ...call } = {}) {
      const request = compileRequest(document, methodId, {
        ...call,
        ...(rootUrl === undefined ? {} : { rootUrl }),
      });
      const response = await http.send({
        ...request,
        headers: { ...request.headers, ...headers?.() },
        ...(signal === undefined ? {} : { signal }),
        ...(readOnly ? { idempotent: true } : {}),
      });
      if (response.body.length >= LARGE_BYTES) await next();
      return apiResponse(request, response);
    },
  };
}

/** An answer for the caller. `request` is what was sent. */
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
    request: `${method} ${url.replace(/\?.*$/, '')}`,
    retryAfterMs,
  };
}

/** What a body is, whatever its headers claim. */
export function readContent({
  headers,
  body,
}: Pick<HttpResponse, 'headers' | 'body'>): ApiResponse['content'] {
  if (body.length === 0) return { kind: 'empty' };
  const text = body.toString('utf8');
  if (!/^(?:$|application\/(?:[\w.-]+\+)?json\b)/i.test(headers['content-type'] ?? '')) {
    return { kind: 'text', text };
  }
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    // Called JSON and is not: the caller sees text where it expects a value, and says so.
    return { kind: 'text', text };
  }
}
