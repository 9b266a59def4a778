import type { LoadedConfig } from '../config/load.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import { createApiClient } from '../discovery/client.ts';
import { createHttpClient } from '../http/undici-client.ts';
import { createInsights, type Insights } from '../insights/insights.ts';
import type { Cache } from '../model/cache.ts';

export interface InsightsHandle {
  readonly insights: Insights;
  close(): Promise<void>;
}

/** The package-insights client of this process, over the shared cache. */
export async function openInsights({ config }: LoadedConfig, cache: Cache): Promise<InsightsHandle> {
  const { url, timeout, concurrency, recordTtl, missTtl, privatePackages, mirrors } = config.insights;
  const http = createHttpClient({
    headersTimeoutMs: timeout,
    bodyTimeoutMs: timeout,
    totalTimeoutMs: timeout,
    connections: concurrency,
  });
  const api = createApiClient({
    document: await readBundledDescription('insights.v3alpha'),
    http,
    rootUrl: url,
    readOnly: true,
  });
  const insights = createInsights({
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
