import type { HttpClient } from '../../http/client.ts';
import { printableUrl } from '../../http/errors.ts';
import { retryOptions } from '../../model/retry-after.ts';
import { readBundledDescription } from '../bundled.ts';
import { type ApiResponse, createApiClient, readContent } from '../client.ts';
import { DiscoveryError } from '../errors.ts';
import { type DirectoryItem, readDirectory } from './directory-list.ts';

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
