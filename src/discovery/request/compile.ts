import type { RestDescription } from '../description/description.ts';
import { type ApiMethod, findMethod } from '../description/methods.ts';
import { reportInvalidDocuments } from '../description/validate-description.ts';
import { DiscoveryError } from '../errors.ts';
import { joinUrl, serviceUrl, withQuery } from './base-url.ts';
import { type Params, placeParameters } from './request-parameters.ts';
import { checkRequestBody } from './schema-check.ts';

export interface CallArguments {
  /** The parameters by their names in the document, dotted ones included: `{'packageKey.system': 'NPM'}`. */
  readonly params?: Params;
  /** JSON value of the method's request schema. */
  readonly body?: unknown;
  /** Replaces the document's `rootUrl`; may contain a path. */
  readonly rootUrl?: string | undefined;
  /** Expands the method's `flatPath`, whose variables are then the parameters of the path. */
  readonly flatPath?: boolean;
  /**
   * Leaves bounds and formats of parameters (dates, Base64, field masks, …) to the service: for URLs of calls that other
   * programs make. A request that Lockhound sends is checked completely.
   */
  readonly lenient?: boolean;
}

export interface CompiledRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * The request for a call of a method: root URL, service path, expanded `path` and query. Throws `DiscoveryError`
 * (`unknown-method`, `invalid-parameter`, `invalid-body`, `invalid-document`).
 */
export function compileRequest(
  document: RestDescription,
  methodId: string,
  call: CallArguments = {},
): CompiledRequest {
  return reportInvalidDocuments([document], () => compile(document, methodId, call));
}

function compile(
  document: RestDescription,
  methodId: string,
  { params = {}, body, rootUrl, flatPath = false, lenient = false }: CallArguments,
): CompiledRequest {
  const method = findMethod(document, methodId);
  const { path, query } = placeParameters(document, method, params, { flatPath, lenient });
  const url = withQuery(joinUrl(serviceUrl(document, rootUrl), path), query);
  const headers: Record<string, string> = { accept: 'application/json' };
  const request = { method: method.httpMethod, url };
  if (body === undefined) return { ...request, headers };
  headers['content-type'] = 'application/json';
  return { ...request, headers, body: bodyText(document, method, body) };
}

/** A body as JSON, checked against the request schema of the method. Throws `DiscoveryError` (`invalid-body`). */
export function bodyText(document: RestDescription, method: ApiMethod, body: unknown): string {
  const schema = method.description.request;
  if (schema === undefined) throw new DiscoveryError('invalid-body', `${method.id} takes no body`);
  const problems = checkRequestBody(document, schema, body, method.id);
  if (problems.length > 0) {
    const shown = problems.slice(0, 5).map(({ path, message }) => `${path} ${message}`);
    const rest = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : '';
    throw new DiscoveryError(
      'invalid-body',
      `${method.id}: the body does not fit its schema: ${shown.join('; ')}${rest}`,
    );
  }
  return JSON.stringify(body);
}
