import { findMethod } from '../../discovery/description/methods.ts';
import { type MethodDetail, outlineSchema } from '../../discovery/description/schema-outline.ts';
import { type ApiSummary, summarizeApi } from '../../discovery/description/summary.ts';
import { type DocumentsOptions, withDocuments } from './documents.ts';

export interface ShowOptions extends DocumentsOptions {
  readonly document: string;
  readonly methodId?: string | undefined;
}

export interface ShownApi {
  readonly api: ApiSummary;
  /** The requested method. */
  readonly method?: MethodDetail;
}

const OUTLINE_DEPTH = 3;

/** A summary of a document. Throws `ApiError`, `DiscoveryError` and `HttpError`. */
export async function showApi(options: ShowOptions): Promise<ShownApi> {
  const { methodId } = options;
  const document = await withDocuments(options, ({ load }) => load(options.document));
  const api = summarizeApi(document);
  if (methodId === undefined) return { api };
  const { id } = findMethod(document, methodId);
  const method = api.methods.find((one) => one.id === id);
  if (method === undefined) throw new RangeError(`${id} is in the index and not in the summary`);
  const outline = (name: string | null) =>
    name === null ? [] : outlineSchema(document, name, OUTLINE_DEPTH);
  return {
    api,
    method: {
      ...method,
      requestSchema: outline(method.request),
      responseSchema: outline(method.response),
    },
  };
}
