import { readBundledDescription } from '../discovery/bundled.ts';
import { type ApiClient, createApiClient } from '../discovery/client.ts';
import type { HttpClient } from '../http/client.ts';

/** The API client of the package-insights service; `rootUrl` replaces the public one. */
export async function openInsightsApi(http: HttpClient, rootUrl?: string): Promise<ApiClient> {
  const document = await readBundledDescription('insights.v3alpha');
  // Its POSTs are look-ups: every request may be repeated.
  return createApiClient({ document, http, readOnly: true, ...(rootUrl === undefined ? {} : { rootUrl }) });
}
