import type { LoadedConfig } from '../config/load.ts';
import type { Answered } from '../insights/answered.ts';
import type { BatchEntry as Entry } from '../insights/batch-work.ts';
import { type Batches, createBatches } from '../insights/batches.ts';
import { readHash } from '../insights/hash.ts';
import { createLocalBudget } from '../insights/local-budget.ts';
import * as operations from '../insights/operations.ts';
import { createInsightsService, type InsightsService } from '../insights/service.ts';
import { openInsightsApi } from './insights.ts';

/** The operations of the package-insights API for one command: no queue, no cache. */
export interface InsightsSession {
  /** By the names of the specification; each takes `service` first. */
  readonly operations: typeof operations;
  readonly service: InsightsService;
  readonly batches: Batches;
  readonly readHash: typeof readHash;
  readonly url: string;
  close(): Promise<void>;
}

export type InsightsAnswer<Value> = Answered<Value>;
export type BatchEntry<Request, Value> = Entry<Request, Value>;

/** `local` starts the bundled service and asks that. Throws `EmbeddedError` when it does not start. */
export async function openInsightsSession(
  loaded: LoadedConfig,
  { local }: { readonly local: boolean },
): Promise<InsightsSession> {
  const stand = local ? await startLocalInsights() : undefined;
  const settings = loaded.config.insights;
  const url = stand?.url ?? settings.url;
  const { requestsPerSecond } = settings;
  const budget = requestsPerSecond === undefined ? undefined : createLocalBudget(requestsPerSecond);
  const { api, http } = await openInsightsApi({ ...settings, url }, budget);
  const service = createInsightsService(api, { privatePatterns: settings.privatePackages });
  return {
    operations,
    service,
    batches: createBatches(service, settings.concurrency),
    readHash,
    url,
    async close() {
      await http.close();
      await stand?.close();
    },
  };
}

async function startLocalInsights() {
  const { startInsightsService } = await import('../embedded/insights/service.ts');
  return await startInsightsService();
}
