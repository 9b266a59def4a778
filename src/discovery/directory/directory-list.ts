import type { HttpClient } from '../../http/client.ts';
import { printableUrl } from '../../http/errors.ts';
import { retryOptions } from '../../model/retry-after.ts';
import { readBundledDescription } from '../bundled.ts';
import { type ApiResponse, createApiClient, readContent } from '../client.ts';
import { DiscoveryError } from '../errors.ts';

/** One version of an API in a directory. */
export interface DirectoryItem {
  /** `name:version`. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  /** The URL of its description document; absent when the directory has none. */
  readonly documentUrl?: string | undefined;
  readonly documentationLink?: string | undefined;
  readonly labels: readonly string[];
  readonly preferred: boolean;
}

/**
 * Reads an answer of `discovery.apis.list`, whose shape the specification leaves open (field notes, "Discovery
 * service"). An entry without a name is left out; a missing version or title is empty. Throws `DiscoveryError`
 * (`invalid-directory`) for a value that is not a list of APIs. `url`: where it was read.
 */
export function readDirectory(value: unknown, url: string): readonly DirectoryItem[] {
  const { items, kind } = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly items?: unknown;
    readonly kind?: unknown;
  };
  // An empty directory may omit the list, but has the right kind.
  if (items === undefined && kind === 'discovery#directoryList') return [];
  if (!Array.isArray(items)) {
    throw new DiscoveryError('invalid-directory', `${printableUrl(url)}: the answer is not a list of APIs`);
  }
  return items.flatMap((item) => readItem(item, url) ?? []);
}

function readItem(value: unknown, url: string): DirectoryItem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const item = value as Readonly<Record<string, unknown>>;
  const text = (key: string) => (typeof item[key] === 'string' ? item[key] : undefined);
  const [idName, idVersion] = text('id')?.split(':') ?? [];
  const name = text('name') ?? idName;
  const version = text('version') ?? idVersion ?? '';
  if (name === undefined || name === '') return undefined;
  return {
    id: text('id') ?? `${name}:${version}`,
    name,
    version,
    title: text('title') ?? '',
    description: text('description') ?? '',
    documentUrl: absolute(text('discoveryRestUrl') ?? text('discoveryLink'), url),
    documentationLink: text('documentationLink'),
    labels: Array.isArray(item['labels']) ? item['labels'].filter((label) => typeof label === 'string') : [],
    preferred: item['preferred'] === true || item['preferred'] === 'true',
  };
}

function absolute(link: string | undefined, url: string): string | undefined {
  return link === undefined ? undefined : (URL.parse(link, url)?.href ?? undefined);
}

/**
 * The entry of `name` or `name:version`. Without a version the preferred one, otherwise the newest: stable before beta
 * before alpha, then by number. Throws `DiscoveryError` (`unknown-api`) with the available versions.
 */
export function chooseApi(items: readonly DirectoryItem[], wanted: string): DirectoryItem {
  const [name = '', version] = wanted.split(':');
  const named = items.filter((item) => item.name === name);
  const [newest] = named.toSorted(compareVersions);
  const chosen =
    version === undefined
      ? (named.find(({ preferred }) => preferred) ?? newest)
      : named.find((item) => item.version === version);
  if (chosen !== undefined) return chosen;
  const available = named.map((item) => item.version).join(', ');
  throw new DiscoveryError(
    'unknown-api',
    named.length === 0
      ? `the directory has no API ${JSON.stringify(name)}`
      : `the directory has no version ${version} of ${name}; it has ${available}`,
  );
}

function compareVersions(left: DirectoryItem, right: DirectoryItem): number {
  return (
    stability(left.version) - stability(right.version) ||
    right.version.localeCompare(left.version, 'en', { numeric: true })
  );
}

function stability(version: string): number {
  return version.includes('alpha') ? 2 : version.includes('beta') ? 1 : 0;
}

interface DirectoryOptions {
  readonly http: HttpClient;
  /** Root URL of the service, `https://host/`, or the URL of the list. */
  readonly url: string;
}

interface DirectoryQuery {
  readonly name?: string | undefined;
  /** Keeps the preferred version of each API. */
  readonly preferred?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Directory = Awaited<ReturnType<typeof openDirectory>>;

type Listing = Pick<ApiResponse, 'status' | 'content' | 'retryAfterMs'>;

/** The client of a discovery service, based on its description document (`apis/discovery.v1.json`). */
export async function openDirectory({ http, url }: DirectoryOptions) {
  const document = await readBundledDescription('discovery.v1');
  const api = createApiClient({ document, http, rootUrl: rootOf(url) });
  return {
    /**
     * `discovery.apis.list`. Filters again, as some services do not. Throws `DiscoveryError` (`unavailable`,
     * `invalid-directory`) and `HttpError`.
     */
    async list({ name, preferred, signal }: DirectoryQuery = {}): Promise<readonly DirectoryItem[]> {
      const params = { name, preferred: preferred === true ? preferred : undefined };
      let answer: Listing = await api.call('discovery.apis.list', { params, signal });
      // The list may be a file or have another path.
      if (answer.status === 404) answer = await getList(http, url, signal);
      const items = readDirectory(listIn(answer, url), url);
      return items.filter(
        (item) => (name === undefined || item.name === name) && (preferred !== true || item.preferred),
      );
    },
  };
}

/** The root URL, without the path of the service. */
function rootOf(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/(?<!\/)\/+(?:discovery\/v1\/*(?:apis\/*)?)?$/, '/');
}

async function getList(http: HttpClient, url: string, signal: AbortSignal | undefined): Promise<Listing> {
  const response = await http.send({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    signal,
  });
  return { ...response, content: readContent(response) };
}

function listIn(answer: Listing, url: string): unknown {
  const { status, content } = answer;
  if (status >= 200 && status < 300 && content.kind === 'json') return content.value;
  const what = content.kind === 'json' || status >= 300 ? `HTTP ${status}` : 'something that is not JSON';
  throw new DiscoveryError(
    'unavailable',
    `the directory at ${printableUrl(url)} answered ${what}. Name the root of a discovery service.`,
    retryOptions(answer),
  );
}
