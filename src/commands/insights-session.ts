import type { LoadedConfig } from '../config/load.ts';
import type { Answered } from '../insights/answered.ts';
import type { BatchEntry as Entry } from '../insights/batch/operation.ts';
import { type InsightsClient, openInsightsClient } from '../insights-client.ts';

/** The operations of the package-insights API for one command: no queue, no cache. */
export interface InsightsSession extends InsightsClient {
  readonly url: string;
}

export type InsightsAnswer<Value> = Answered<Value>;
export type BatchEntry<Request, Value> = Entry<Request, Value>;

/** `local` starts the bundled service and asks that. Throws `EmbeddedError` when it does not start. */
export async function openInsightsSession(
  { config }: LoadedConfig,
  { local }: { readonly local: boolean },
): Promise<InsightsSession> {
  const { url: configured, timeout, concurrency, requestsPerSecond, privatePackages } = config.insights;
  const stand = local ? await startLocalInsights() : undefined;
  const url = stand?.url ?? configured;
  const client = await openInsightsClient({
    url,
    concurrency,
    privatePackages,
    timeoutMs: timeout,
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
  });
  return {
    ...client,
    url,
    async close() {
      await client.close();
      await stand?.close();
    },
  };
}

async function startLocalInsights() {
  const { startInsightsService } = await import('../embedded/insights/service.ts');
  return await startInsightsService();
}
