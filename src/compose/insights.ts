import type { LoadedConfig } from '../config/load.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import { type ApiClient, createApiClient } from '../discovery/client.ts';
import type { HttpClient } from '../http/client.ts';
import { createHttpClient } from '../http/undici-client.ts';
import { createInsights, type Insights, type InsightsOptions } from '../insights/insights.ts';
import type { Cache } from '../model/ports/cache.ts';
import type { RequestBudget } from '../model/ports/request-budget.ts';
import { requestedPause } from '../model/retry-after.ts';
import { cacheInMemory } from '../store/memory-cache.ts';

export interface InsightsHandle {
  readonly insights: Insights;
  close(): Promise<void>;
}

/** Records of packages and advisories in memory: some tens of megabytes. */
const MEMORY_ENTRIES = 20_000;
const MEMORY_TTL_MS = 60_000;

type InsightsConfig = LoadedConfig['config']['insights'];

/** The package-insights client of this process with the shared cache. */
export async function openInsights(
  { config }: LoadedConfig,
  cache: Cache,
  {
    budget,
    ...options
  }: Pick<InsightsOptions, 'onContractProblem' | 'seen' | 'covers'> & {
    readonly budget?: RequestBudget | undefined;
  } = {},
): Promise<InsightsHandle> {
  const { concurrency, recordTtl, missTtl, privatePackages, mirrors } = config.insights;
  const { api, http } = await openInsightsApi(config.insights, budget);
  const insights = createInsights({
    ...options,
    api,
    cache: cacheInMemory(cache, {
      maxEntries: MEMORY_ENTRIES,
      ttlMs: Math.min(MEMORY_TTL_MS, recordTtl / 10, missTtl / 10),
    }),
    concurrency,
    recordTtlMs: recordTtl,
    missTtlMs: missTtl,
    privatePatterns: privatePackages,
    mirrors,
  });
  return { insights, close: () => http.close() };
}

/** An API client for the bundled description, and its connections. `budget` limits the rate of its requests. */
export async function openInsightsApi(
  { url, timeout, concurrency }: Pick<InsightsConfig, 'url' | 'timeout' | 'concurrency'>,
  budget?: RequestBudget,
): Promise<{ api: ApiClient; http: HttpClient }> {
  const http = createHttpClient({
    headersTimeoutMs: timeout,
    bodyTimeoutMs: timeout,
    totalTimeoutMs: timeout,
    connections: concurrency,
    beforeAttempt: budget === undefined ? undefined : (signal) => budget.take(signal),
  });
  const document = await readBundledDescription('insights.v3alpha');
  const paced = budget === undefined ? http : pausing(http, budget);
  return { http, api: createApiClient({ document, http: paced, rootUrl: url, readOnly: true }) };
}

/** After a 429 with `Retry-After`, all requests that share the budget wait. */
function pausing(http: HttpClient, budget: RequestBudget): HttpClient {
  return {
    async send(request) {
      const response = await http.send(request);
      const pauseMs = requestedPause(response);
      if (pauseMs !== undefined) await budget.pause(pauseMs);
      return response;
    },
    close: () => http.close(),
  };
}
