import type { RestDescription } from '../../discovery/description/description.ts';
import { countMethods, findMethod } from '../../discovery/description/methods.ts';
import { endpointUrl } from '../../discovery/request/base-url.ts';
import { type CompiledRequest, compileRequest } from '../../discovery/request/compile.ts';
import { type Params, paramsInOrder } from '../../discovery/request/request-parameters.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { isObject, type JsonObject } from '../../model/json-object.ts';
import { type DocumentsOptions, readLocalDocument, withDocuments } from './documents.ts';
import { ApiError } from './errors.ts';

export interface UrlOptions extends CallOfMethod {
  readonly flat: boolean;
  readonly lenient: boolean;
}

/** The HTTP method and URL of one call. Throws `ApiError`, `DiscoveryError` and `HttpError`. */
export async function makeUrl(options: UrlOptions): Promise<Pick<CompiledRequest, 'method' | 'url'>> {
  const { methodId, rootUrl, endpoint, flat, lenient } = options;
  const document = await withDocuments(options, ({ load }) => load(options.document));
  const { method, url } = compileRequest(document, methodId, {
    params: paramsOf(document, options),
    flatPath: flat,
    lenient,
    rootUrl: endpoint === undefined ? rootUrl : endpointUrl(document, endpoint),
  });
  return { method, url };
}

export interface CallOfMethod extends DocumentsOptions {
  readonly document: string;
  readonly methodId: string;
  /** Values in the order of the method's signature. `params` take precedence. */
  readonly values: readonly string[];
  readonly params: unknown;
  readonly rootUrl?: string | undefined;
  /** Location of the endpoint that replaces the root URL. */
  readonly endpoint?: string | undefined;
}

/** All parameters of a call. Throws `ApiError` (`invalid-input`) and `DiscoveryError`. */
export function paramsOf(
  document: RestDescription,
  { methodId, values, params }: Pick<CallOfMethod, 'methodId' | 'values' | 'params'>,
): Params {
  return { ...paramsInOrder(findMethod(document, methodId), values), ...asParams(params) };
}

export interface BatchOptions {
  /** File names are relative to this folder. */
  readonly folder: string;
  /** Does not check bounds and formats of parameters. */
  readonly lenient: boolean;
}

/** The result of one line. */
export type BatchAnswer =
  | { readonly method: string; readonly url: string }
  | { readonly error: { readonly code: string; readonly message: string } };

/**
 * Compiles the URL of each `{"doc", "methodId", "params"}` line. Loads each document once. An invalid line results in an
 * error; empty lines are skipped.
 */
export async function* batchUrls(
  lines: AsyncIterable<string>,
  { folder, lenient }: BatchOptions,
): AsyncGenerator<BatchAnswer> {
  const documents = new Map<string, RestDescription | CodedError>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    try {
      const { doc, methodId, params } = readLine(line);
      let document = documents.get(doc);
      if (document === undefined) {
        document = await loadForUrls(doc, folder);
        documents.set(doc, document);
      }
      if (document instanceof CodedError) throw document;
      const { method, url } = compileRequest(document, methodId, { params, lenient });
      yield { method, url };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      yield { error: { code: error.code, message: error.message } };
    }
  }
}

/** Drops the schemas, which are the largest part of a document, so that thousands of documents fit in memory. */
async function loadForUrls(doc: string, folder: string): Promise<RestDescription | CodedError> {
  try {
    const document = { ...(await readLocalDocument(doc, folder)), schemas: {} };
    countMethods(document);
    return document;
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

function readLine(line: string): { doc: string; methodId: string; params: Params } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new ApiError('invalid-input', `the line is not JSON: ${messageOf(cause)}`, { cause });
  }
  const { doc, methodId, params = {} }: JsonObject = isObject(value) ? value : {};
  if (typeof doc !== 'string' || typeof methodId !== 'string') {
    throw new ApiError(
      'invalid-input',
      'the line is not of the form {"doc": "<file or name>", "methodId": "…", "params": {…}}',
    );
  }
  return { doc, methodId, params: asParams(params) };
}

/** Parameters from a JSON object, without those that are `null`. Throws `ApiError` (`invalid-input`). */
export function asParams(value: unknown): Params {
  if (!isObject(value)) {
    throw new ApiError('invalid-input', 'params is not a JSON object such as {"name": "value"}');
  }
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null)) as Params;
}
