import type { LoadedConfig } from '../config/load.ts';
import type { Answered } from '../insights/answered.ts';
import type { BatchEntry as Entry } from '../insights/batch/operation.ts';
import { type InsightsClient, openInsightsClient } from '../insights-client.ts';

/** A client of the package-insights API for one command, without queue and cache. */
export interface InsightsSession extends InsightsClient {
  readonly url: string;
}

export type InsightsAnswer<Value> = Answered<Value>;
export type BatchEntry<Request, Value> = Entry<Request, Value>;

/** `local` starts the bundled service and uses it. Throws `EmbeddedError` when it does not start. */
export async function openInsightsSession(
  { config }: LoadedConfig,
  { local }: { readonly local: boolean },
): Promise<InsightsSession> {
  const { url: configured, timeout, concurrency, requestsPerSecond, privatePackages } = config.insights;
  const service = local ? await startLocalInsights() : undefined;
  const url = service?.url ?? configured;
  const client = await openInsightsClient({
    url,
    concurrency,
    privatePackages,
    timeoutMs: timeout,
    requestsPerSecond,
  });
  return {
    ...client,
    url,
    async close() {
      await client.close();
      await service?.close();
    },
  };
}

async function startLocalInsights() {
  const { startInsightsService } = await import('../embedded/insights/service.ts');
  return await startInsightsService();
}
