import { endpointUrl } from '../../discovery/request/base-url.ts';
import { type CompiledRequest, compileRequest } from '../../discovery/request/compile.ts';
import { type CallOfMethod, paramsOf } from './call-of-method.ts';
import { withDocuments } from './documents.ts';

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
