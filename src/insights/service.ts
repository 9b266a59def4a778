import type { ApiClient, ApiResponse } from '../discovery/client.ts';
import { DiscoveryError } from '../discovery/errors.ts';
import { HttpError } from '../http/errors.ts';
import type { InsightsMethods } from './api.generated.ts';
import { InsightsError } from './errors.ts';

export type MethodId = keyof InsightsMethods;

/**
 * The 16 operations as typed calls. An answer is known to be a JSON object and no more: its fields are checked where
 * they are read (`answer.ts`). Throws `InsightsError`; an aborted call throws the `HttpError` (`aborted`).
 */
export interface InsightsService {
  get<Id extends MethodId>(
    id: Id,
    params: InsightsMethods[Id]['params'],
    signal: AbortSignal,
  ): Promise<InsightsMethods[Id]['response']>;
  post<Id extends MethodId>(
    id: Id,
    body: InsightsMethods[Id]['body'],
    signal: AbortSignal,
  ): Promise<InsightsMethods[Id]['response']>;
}

export function createInsightsService(api: ApiClient): InsightsService {
  return {
    get: (id, params, signal) => call(api, id, { params: { ...params }, signal }),
    post: (id, body, signal) => call(api, id, { body, signal }),
  };
}

async function call<Id extends MethodId>(
  api: ApiClient,
  id: Id,
  input: Parameters<ApiClient['call']>[1],
): Promise<InsightsMethods[Id]['response']> {
  let response: ApiResponse;
  try {
    response = await api.call(id, input);
  } catch (error) {
    throw withoutAnswer(error);
  }
  const { status, content, request } = response;
  if (status !== 200) throw refusal(response);
  if (content.kind === 'json' && typeof content.value === 'object' && content.value !== null) {
    return content.value;
  }
  // Something between us and the service answers for it, or cut the answer short: it may be gone next time.
  throw new InsightsError('contract', `${request}: ${sketch(content)} where a JSON object is expected`, {
    retryable: true,
  });
}

function withoutAnswer(error: unknown): unknown {
  if (error instanceof DiscoveryError) return new InsightsError('invalid', error.message, { cause: error });
  if (!(error instanceof HttpError) || error.code === 'aborted') return error;
  const broken = error.code === 'too-large' || error.code === 'invalid-answer';
  return new InsightsError(broken ? 'contract' : 'unavailable', error.message, {
    cause: error,
    retryable: error.retryable,
  });
}

function refusal(response: ApiResponse): InsightsError {
  const { status, content, request, retryAfterMs } = response;
  const message = `${request}: HTTP ${status}, ${sketch(content)}`;
  const later = { retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (status === 429) return new InsightsError('rate-limited', message, later);
  if (status >= 500 || status === 408) return new InsightsError('unavailable', message, later);
  if (status === 404 && saysNotFound(content)) return new InsightsError('not-found', message);
  if (status === 404 || status < 400) {
    return new InsightsError('contract', `${message}: no answer of the package-insights API; check its URL`);
  }
  return new InsightsError('invalid', message);
}

/**
 * Whether the service itself says that it has no such thing ("Errors" in what is known of the real one: plain text). A
 * server or proxy that merely lacks the path must not make every package `missing`.
 */
function saysNotFound(content: ApiResponse['content']): boolean {
  if (content.kind === 'empty') return false;
  const text = content.kind === 'text' ? content.text : JSON.stringify(content.value);
  return (
    text.length < 1000 && /not found|no results/i.test(text) && !/page not found|<html|cannot get/i.test(text)
  );
}

function sketch(content: ApiResponse['content']): string {
  if (content.kind === 'empty') return 'an empty answer';
  if (content.kind === 'json') return `JSON (${JSON.stringify(content.value).slice(0, 100)})`;
  const text = content.text.trim();
  if (/^<(?:!doctype|html)/i.test(text)) return 'an HTML page';
  return `the text ${JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)}`;
}
