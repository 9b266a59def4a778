import type { RestDescription } from '../../discovery/description/description.ts';
import { findMethod } from '../../discovery/description/methods.ts';
import { type Params, paramsInOrder } from '../../discovery/request/request-parameters.ts';
import { asParams } from './batch-urls.ts';
import type { DocumentsOptions } from './documents.ts';

/** A call of one method of a document. */
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
