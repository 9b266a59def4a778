import { findMethod } from '../../discovery/description/methods.ts';
import { endpointUrl } from '../../discovery/request/base-url.ts';
import { type CompiledRequest, compileRequest } from '../../discovery/request/compile.ts';
import { paramsInOrder } from '../../discovery/request/request-parameters.ts';
import { asParams } from './batch-urls.ts';
import { openDocuments } from './documents.ts';

export interface UrlOptions {
  readonly document: string;
  readonly methodId: string;
  /** Values in the order of the method's signature. `params` take precedence. */
  readonly values: readonly string[];
  readonly params: unknown;
  readonly rootUrl?: string | undefined;
  /** Location of the endpoint that replaces the root URL. */
  readonly endpoint?: string | undefined;
  readonly flat: boolean;
  readonly lenient: boolean;
  readonly directory?: string | undefined;
  readonly signal: AbortSignal;
}

/** The HTTP method and URL of one call. Throws `ApiError`, `DiscoveryError` and `HttpError`. */
export async function makeUrl(options: UrlOptions): Promise<Pick<CompiledRequest, 'method' | 'url'>> {
  const { methodId, values, params, rootUrl, endpoint, flat, lenient } = options;
  const documents = openDocuments({ directory: options.directory });
  try {
    const document = await documents.load(options.document, options.signal);
    const root = endpoint === undefined ? rootUrl : endpointUrl(document, endpoint);
    const { method, url } = compileRequest(document, methodId, {
      params: { ...paramsInOrder(findMethod(document, methodId), values), ...asParams(params) },
      flatPath: flat,
      lenient,
      rootUrl: root,
    });
    return { method, url };
  } finally {
    await documents.close();
  }
}
