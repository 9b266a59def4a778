import { BUNDLED_APIS, readBundledDescription } from '../../discovery/bundled.ts';
import { compareDescriptions } from '../../discovery/compare/descriptions.ts';
import { findMethod } from '../../discovery/description/methods.ts';
import { type MethodDetail, outlineSchema } from '../../discovery/description/schema-outline.ts';
import { type ApiSummary, summarizeApi } from '../../discovery/description/summary.ts';
import { type DirectoryItem, openDirectory } from '../../discovery/directory/directory-list.ts';
import type { ContractDifference } from '../../model/api/contract.ts';
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

export interface DiffOptions extends DocumentsOptions {
  readonly before: string;
  readonly after: string;
}

/** The differences between two documents. Throws `ApiError`, `DiscoveryError` and `HttpError`. */
export async function diffApis(options: DiffOptions): Promise<readonly ContractDifference[]> {
  return withDocuments(options, async ({ load }) =>
    compareDescriptions(await load(options.before), await load(options.after)),
  );
}

/** The options of a list. Without a directory, it has the bundled documents. */
export interface ListOptions extends DocumentsOptions {
  readonly name?: string | undefined;
  readonly preferred: boolean;
}

/** The APIs of a directory, or the bundled ones. Throws `DiscoveryError` and `HttpError`. */
export async function listApis(options: ListOptions): Promise<readonly DirectoryItem[]> {
  const { directory, name, preferred, signal } = options;
  if (directory === undefined) {
    const items = await Promise.all([...BUNDLED_APIS.values()].map(bundledItem));
    return items.filter((item) => name === undefined || item.name === name);
  }
  return withDocuments(options, async ({ http }) =>
    (await openDirectory({ http, url: directory })).list({ preferred, signal, name }),
  );
}

async function bundledItem(api: Parameters<typeof readBundledDescription>[0]): Promise<DirectoryItem> {
  const {
    name = '',
    version = '',
    title = '',
    description = '',
    labels = [],
  } = await readBundledDescription(api);
  return { id: `${name}:${version}`, name, version, title, description, labels, preferred: true };
}
