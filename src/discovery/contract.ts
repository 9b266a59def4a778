import type { ContractComparison, ContractDifference } from '../model/api/contract.ts';
import { isObject } from '../model/json-object.ts';
import { type BundledApi, readBundledDescription } from './bundled.ts';
import { compareDescriptions } from './compare/descriptions.ts';
import type { RestDescription } from './description/description.ts';
import type { Directory } from './directory/directory-list.ts';
import type { DocumentSource, FetchedDocument } from './directory/document-source.ts';
import { DiscoveryError } from './errors.ts';

/** The place where the document of an API is published: at a URL, or at the URL in a directory. */
export type Publication = { readonly url: string } | { readonly directory: Directory };

interface ContractOptions {
  readonly api: BundledApi;
  readonly publication: Publication;
  readonly source: DocumentSource;
  /** The root URL in use, when it is not that of the bundled document: in a published document it is no difference. */
  readonly rootUrl?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Compares a bundled document with the published one. `undefined` when the directory does not list the API. When it lists
 * other versions only, the bundled version was removed, which is a breaking difference. Throws `DiscoveryError` and
 * `HttpError`.
 */
export async function compareContract(options: ContractOptions): Promise<ContractComparison | undefined> {
  const { publication, source, signal } = options;
  const pinned = await readBundledDescription(options.api);
  const { name: api = '', version = '' } = pinned;
  if ('url' in publication) return comparisonOf(pinned, await source.fetch(publication.url, signal), options);
  const items = await publication.directory.list({ name: api, signal });
  if (items.length === 0) return undefined;
  const item = items.find((one) => one.version === version);
  if (item === undefined) {
    const message = `${version} is no longer listed, only ${items.map((one) => one.version).join(', ')}`;
    const removed = {
      class: 'breaking',
      kind: 'version-removed',
      subject: 'document',
      path: '$',
      message,
    } as const;
    return { api, version, revision: undefined, source: 'the directory', differences: [removed] };
  }
  if (item.documentUrl === undefined) {
    throw new DiscoveryError('unknown-api', `the directory has no document URL for ${item.id}`);
  }
  return comparisonOf(pinned, await source.fetch(item.documentUrl, signal), options);
}

function comparisonOf(
  pinned: RestDescription,
  { document, source }: FetchedDocument,
  { rootUrl }: ContractOptions,
): ContractComparison {
  const inUse = rootUrl !== undefined && sameRoot(rootUrl, document.rootUrl);
  return {
    api: pinned.name ?? '',
    version: pinned.version ?? '',
    revision: document.revision,
    source,
    differences: compareDescriptions(inUse ? { ...pinned, rootUrl } : pinned, document).filter(
      (one) => !isOptional(pinned, one),
    ),
  };
}

/** Whether a published document lacks what the bundled one says that a service may not have. Requests notice that themselves. */
function isOptional(pinned: RestDescription, { kind, path }: ContractDifference): boolean {
  if (kind !== 'method-removed' && kind !== 'property-removed') return false;
  const memberOf = (value: unknown, key: string) => (isObject(value) ? value[key] : undefined);
  const part = path.split('.').slice(1).reduce<unknown>(memberOf, pinned);
  const referred = pinned.schemas?.[String(memberOf(part, '$ref'))];
  const texts = [memberOf(part, 'description'), referred?.description];
  return texts.some((text) => /may not have|may be absent/.test(String(text)));
}

function sameRoot(one: string, other: string | undefined): boolean {
  return one.replace(/(?<!\/)\/+$/, '') === other?.replace(/(?<!\/)\/+$/, '');
}
