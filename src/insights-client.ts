import { readBundledDescription } from './discovery/bundled.ts';
import { createApiClient } from './discovery/client.ts';
import type { HttpClient } from './http/client.ts';
import { createHttpClient } from './http/undici-client.ts';
import { type Batches, createBatches } from './insights/batch/operations.ts';
import { createLocalBudget } from './insights/local-budget.ts';
import * as operations from './insights/operations.ts';
import { createInsightsService, type InsightsService } from './insights/service.ts';

export type { Answer, Answered, ContractProblem } from './insights/answered.ts';
export type { BatchEntry } from './insights/batch/operation.ts';
export { InsightsError, type InsightsErrorCode, type RuleName } from './insights/errors.ts';

export interface InsightsClientOptions {
  /** Base URL of the service. Default: the public one. */
  readonly url?: string;
  /** Time limit for one answer, in milliseconds. Default 30 s. */
  readonly timeoutMs?: number;
  /** Maximum number of concurrent requests. Default 25. */
  readonly concurrency?: number;
  /** Maximum number of requests per second, retries included. Default: no limit. */
  readonly requestsPerSecond?: number | undefined;
  /** Patterns of names that are never sent; `*` matches any text: `@corp/*`. */
  readonly privatePackages?: readonly string[];
}

/** The package-insights API for programs. */
export interface InsightsClient {
  /**
   * The operations by their names in the specification: `operations.getVersion(service, key, { signal })`. Errors are
   * returned as data; only an aborted call rejects.
   */
  readonly operations: typeof operations;
  readonly service: InsightsService;
  /** Look-ups of any number of versions, projects, findings or purls: one entry for each, in order. */
  readonly batches: Batches;
  close(): Promise<void>;
}

/** The library entry `lockhound/insights`. Needs no Redis and no configuration. */
export async function openInsightsClient(options: InsightsClientOptions = {}): Promise<InsightsClient> {
  const { url, concurrency = 25, privatePackages = [] } = options;
  const document = await readBundledDescription('insights.v3alpha');
  const http = openHttp(options, concurrency);
  const api = createApiClient({ document, http, rootUrl: url, readOnly: true });
  const service = createInsightsService(api, { privatePatterns: privatePackages });
  return {
    operations,
    service,
    batches: createBatches(service, concurrency),
    close: () => http.close(),
  };
}

function openHttp(options: InsightsClientOptions, concurrency: number): HttpClient {
  const { timeoutMs = 30_000, requestsPerSecond } = options;
  const budget = requestsPerSecond === undefined ? undefined : createLocalBudget(requestsPerSecond);
  return createHttpClient({
    headersTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
    totalTimeoutMs: timeoutMs,
    connections: concurrency,
    beforeAttempt: budget?.take,
  });
}
