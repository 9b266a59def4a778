import type { LoadedConfig } from '../config/load.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import { openInsightsClient } from '../insights-client.ts';
import type { AnswerSchema } from '../report/answer.ts';

export type { Answered, BatchEntry } from '../insights-client.ts';

export type InsightsSession = Awaited<ReturnType<typeof openInsightsSession>>;

/** A client of the package-insights API for one command, without queue and cache. `local` starts the bundled service and uses it. Throws `EmbeddedError` when it does not start. */
export async function openInsightsSession({ config }: LoadedConfig, { local }: { readonly local: boolean }) {
  const { timeout: timeoutMs, concurrency, requestsPerSecond, privatePackages } = config.insights;
  const service = local
    ? await (await import('../embedded/insights/service.ts')).startInsightsService()
    : undefined;
  const url = service?.url ?? config.insights.url;
  const limits = { concurrency, timeoutMs, requestsPerSecond };
  const client = await openInsightsClient({ url, privatePackages, ...limits });
  return {
    ...client,
    url,
    async close(): Promise<void> {
      await client.close();
      await service?.close();
    },
  };
}

/** The schema of the answers of a method of the package-insights API. */
export async function insightsAnswer(method: string): Promise<AnswerSchema> {
  const { methods, schemas } = await readBundledDescription('insights.v3alpha');
  return { schema: methods?.[method]?.response ?? {}, schemas };
}
