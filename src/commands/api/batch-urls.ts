import type { RestDescription } from '../../discovery/description/description.ts';
import { countMethods } from '../../discovery/description/methods.ts';
import { compileRequest } from '../../discovery/request/compile.ts';
import type { Params } from '../../discovery/request/request-parameters.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { ApiError } from './errors.ts';
import { readLocalDocument } from './read-document.ts';

export interface BatchOptions {
  /** What file names are relative to. */
  readonly folder: string;
  /** Leaves bounds and formats of parameters to the service. */
  readonly lenient: boolean;
}

/** The answer to one line. */
export type BatchAnswer =
  | { readonly method: string; readonly url: string }
  | { readonly error: { readonly code: string; readonly message: string } };

/**
 * Makes the URL of each `{"doc", "methodId", "params"}` line. Documents are loaded once; a bad line gives its error and
 * the rest go on. Empty lines give nothing.
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

/** Without schemas, which are most of a document and no part of a URL: thousands of documents stay in memory. */
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
  const {
    doc,
    methodId,
    params = {},
  } = (typeof value === 'object' && value !== null ? value : {}) as {
    doc?: unknown;
    methodId?: unknown;
    params?: unknown;
  };
  if (typeof doc !== 'string' || typeof methodId !== 'string') {
    throw new ApiError(
      'invalid-input',
      'the line has to be {"doc": "<file or name>", "methodId": "…", "params": {…}}',
    );
  }
  return { doc, methodId, params: asParams(params) };
}

/** Parameters out of JSON: an object; `null` is a parameter that is not given. Throws `ApiError` (`invalid-input`). */
export function asParams(value: unknown): Params {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid-input', 'params have to be a JSON object: {"name": "value"}');
  }
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null)) as Params;
}
