import type { HttpClient } from '../../http/client.ts';
import { printableUrl } from '../../http/errors.ts';
import { retryOptions } from '../../model/retry-after.ts';
import { readBundledDescription } from '../bundled.ts';
import { type ApiResponse, createApiClient, readContent } from '../client.ts';
import { DiscoveryError } from '../errors.ts';
import { type DirectoryItem, readDirectory } from './directory-list.ts';

export interface DirectoryOptions {
  readonly http: HttpClient;
  /** Root of the service, `https://host/`, or the address of the list itself: either is found. */
  readonly url: string;
}

export interface DirectoryQuery {
  readonly name?: string | undefined;
  /** Only the preferred version of each API. */
  readonly preferred?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Directory {
  /**
   * `discovery.apis.list`. What the service does not filter is filtered here. Throws `DiscoveryError` (`unavailable`,
   * `invalid-directory`) and `HttpError`.
   */
  list(query?: DirectoryQuery): Promise<readonly DirectoryItem[]>;
}

type Answer = Pick<ApiResponse, 'status' | 'content' | 'retryAfterMs'>;

/** The client of a discovery service, driven by our description of it (`apis/discovery.v1.json`). */
export async function openDirectory({ http, url }: DirectoryOptions): Promise<Directory> {
  const document = await readBundledDescription('discovery.v1');
  const api = createApiClient({ document, http, rootUrl: rootOf(url) });
  return {
    async list({ name, preferred, signal } = {}) {
      const params = {
        ...(name === undefined ? {} : { name }),
        ...(preferred === true ? { preferred } : {}),
      };
      const control = signal === undefined ? {} : { signal };
      let answer: Answer = await api.call('discovery.apis.list', { params, ...control });
      // A list kept as a file, or behind another path, is as good.
      if (answer.status === 404) answer = await getList(http, url, control);
      const items = readDirectory(listIn(answer, url), url);
      return items.filter(
        (item) => (name === undefined || item.name === name) && (preferred !== true || item.preferred),
      );
    },
  };
}

/** The root under which the service's own path begins. */
function rootOf(url: string): string {
  return url.replace(/[?#].*$/, '').replace(/\/+(?:discovery\/v1\/*(?:apis\/*)?)?$/, '/');
}

async function getList(
  http: HttpClient,
  url: string,
  control: { readonly signal?: AbortSignal },
): Promise<Answer> {
  const response = await http.send({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    ...control,
  });
  return { ...response, content: readContent(response) };
}

function listIn(answer: Answer, url: string): unknown {
  const { status, content } = answer;
  if (status >= 200 && status < 300 && content.kind === 'json') return content.value;
  const what = content.kind === 'json' || status >= 300 ? `HTTP ${status}` : 'something that is not JSON';
  throw new DiscoveryError(
    'unavailable',
    `the directory at ${printableUrl(url)} answered ${what}. Name the root of a discovery service.`,
    retryOptions(answer),
  );
}
