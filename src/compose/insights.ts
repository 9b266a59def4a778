import type { LoadedConfig } from '../config/load.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import { type ApiClient, createApiClient } from '../discovery/client.ts';
import type { HttpClient } from '../http/client.ts';
import { createHttpClient } from '../http/undici-client.ts';
import { createInsights, type Insights, type InsightsOptions } from '../insights/insights.ts';
import type { Cache } from '../model/cache.ts';

export interface InsightsHandle {
  readonly insights: Insights;
  close(): Promise<void>;
}

type InsightsConfig = LoadedConfig['config']['insights'];

/** The package-insights client of this process, over the shared cache. */
export async function openInsights(
  { config }: LoadedConfig,
  cache: Cache,
  options: Pick<InsightsOptions, 'onContractProblem'> = {},
): Promise<InsightsHandle> {
  const { concurrency, recordTtl, missTtl, privatePackages, mirrors } = config.insights;
  const { api, http } = await openInsightsApi(config.insights);
  const insights = createInsights({
    ...options,
    api,
    cache,
    concurrency,
    recordTtlMs: recordTtl,
    missTtlMs: missTtl,
    privatePatterns: privatePackages,
    mirrors,
  });
  return { insights, close: () => http.close() };
}

/** The API client of the bundled description, and the connections that it goes over. */
export async function openInsightsApi({
  url,
  timeout,
  concurrency,
}: Pick<InsightsConfig, 'url' | 'timeout' | 'concurrency'>): Promise<{ api: ApiClient; http: HttpClient }> {
  const http = createHttpClient({
    headersTimeoutMs: timeout,
    bodyTimeoutMs: timeout,
    totalTimeoutMs: timeout,
    connections: concurrency,
  });
  const document = await readBundledDescription('insights.v3alpha');
  return { http, api: createApiClient({ document, http, rootUrl: url, readOnly: true }) };
}
