import type { ParameterDescription, RestDescription } from './description.ts';
import { DiscoveryError } from './errors.ts';
import { type ApiMethod, findMethod } from './methods.ts';
import { type ParameterValue, parameterTexts } from './parameter-values.ts';
import { encodeUnreserved, expandUriTemplate } from './uri-template.ts';

export interface CallArguments {
  /** By the document's names, dotted ones as they stand: `{'packageKey.system': 'NPM'}`. */
  readonly params?: Readonly<Record<string, ParameterValue>>;
  /** JSON value of the method's request schema. */
  readonly body?: unknown;
  /** Replaces the document's `rootUrl`; may have a path of its own. */
  readonly rootUrl?: string;
}

export interface CompiledRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Turns a document, a method id and arguments into a request: root URL, service path, the expansion of `path`, then
 * the query. Throws `DiscoveryError` (`unknown-method`, `invalid-parameter`, `invalid-body`) before anything is sent.
 */
export function compileRequest(
  document: RestDescription,
  methodId: string,
  { params = {}, body, rootUrl }: CallArguments = {},
): CompiledRequest {
  const method = findMethod(document, methodId);
  const { path, query } = readParameters(document, method, params);
  const expanded = expandUriTemplate(method.path, (name) => path.get(name));
  const url = joinUrl(baseOf(document, rootUrl), expanded);
  const headers: Record<string, string> = { accept: 'application/json' };
  const request = { method: method.httpMethod, url: query === '' ? url : `${url}?${query}` };
  if (body === undefined) return { ...request, headers };
  if (method.request === undefined) {
    throw new DiscoveryError('invalid-body', `${methodId} takes no body`);
  }
  headers['content-type'] = 'application/json';
  return { ...request, headers, body: JSON.stringify(body) };
}

function readParameters(
  document: RestDescription,
  method: ApiMethod,
  params: Readonly<Record<string, ParameterValue>>,
): { path: Map<string, string | readonly string[]>; query: string } {
  const path = new Map<string, string | readonly string[]>();
  const query: string[] = [];
  const given = new Set<string>();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    given.add(name);
    const description = describe(document, method, name);
    const texts = parameterTexts(method.id, name, description, value);
    if (description.location === 'path') path.set(name, asPathValue(method, name, description, texts));
    else for (const text of texts) query.push(`${encodeQuery(name)}=${encodeQuery(text)}`);
  }
  for (const [name, description] of method.parameters) {
    if (description.required === true && !given.has(name)) {
      throw new DiscoveryError('invalid-parameter', `${method.id}: parameter ${name} is required`);
    }
  }
  // Google's services answer in several formats and their clients name the one they read; the document tells whether.
  const hasFormats = document.parameters !== undefined && Object.hasOwn(document.parameters, 'alt');
  if (hasFormats && method.response !== undefined && !given.has('alt')) query.push('alt=json');
  return { path, query: query.join('&') };
}

function describe(document: RestDescription, method: ApiMethod, name: string): ParameterDescription {
  const description = method.parameters.get(name);
  if (description !== undefined) return description;
  const common = document.parameters ?? {};
  if (Object.hasOwn(common, name)) return common[name] ?? {};
  throw new DiscoveryError('invalid-parameter', `${method.id} has no parameter ${name}`);
}

function asPathValue(
  method: ApiMethod,
  name: string,
  description: ParameterDescription,
  texts: readonly string[],
): string | readonly string[] {
  // An empty segment would name another resource (the collection above), not this one.
  if (texts.length === 0 || texts.some((text) => text === '')) {
    throw new DiscoveryError('invalid-parameter', `${method.id}: parameter ${name} may not be empty`);
  }
  return description.repeated === true ? texts : (texts[0] ?? '');
}

function baseOf(document: RestDescription, rootUrl: string | undefined): string {
  if (rootUrl === undefined && document.rootUrl === undefined) {
    if (document.baseUrl !== undefined) return document.baseUrl;
    throw new DiscoveryError('invalid-document', `${document.id ?? 'The document'} has no rootUrl; give one`);
  }
  return joinUrl(rootUrl ?? document.rootUrl ?? '', document.servicePath ?? document.basePath ?? '');
}

function joinUrl(base: string, path: string): string {
  if (path === '') return base;
  return `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}

/** As forms are encoded: every service reads it, and a space is shorter. */
function encodeQuery(text: string): string {
  return encodeUnreserved(text).replaceAll('%20', '+');
}
