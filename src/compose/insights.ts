import pLimit from 'p-limit';
import { dataFolder } from '../config/data-folder.ts';
import type { LoadedConfig } from '../config/load.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import { type ApiClient, createApiClient } from '../discovery/client.ts';
import type { HttpClient } from '../http/client.ts';
import { createGate, type GateOptions } from '../insights/gate.ts';
import { createInsights, type InsightsOptions } from '../insights/insights.ts';
import { createOffered } from '../insights/offered.ts';
import type { Cache, RequestBudget } from '../model/ports/shared-state.ts';
import { requestedPause } from '../model/retry-after.ts';
import type { AdvisoryChanges } from '../store/advisory-changes.ts';
import type { Log } from './deferred-log.ts';

type OwnOptions = Pick<InsightsOptions, 'onContractProblem' | 'seen' | 'facts' | 'stated' | 'isRequired'>;

/** How requests reach the service. */
interface InsightsConnection {
  /** Limits the rate of requests. */
  readonly budget?: RequestBudget | undefined;
  /** Imported advisories that changed. Default: none did. */
  readonly advisoryChanges?: Pick<AdvisoryChanges, 'revision' | 'records'> | undefined;
  /** Answers requests in place of the network. */
  readonly http?: HttpClient | undefined;
  /** Delays between the attempts of jobs, when they are not the usual ones. A service that fails is asked again at most that often. */
  readonly backoff?: { readonly backoffMs?: number; readonly maxBackoffMs?: number } | undefined;
}

/** While the service fails, it gets at most twice the usual number of requests. */
const ONE_RETRY = { attempts: 2, baseMs: 200, longestWaitMs: 2_000 };

type InsightsConfig = LoadedConfig['config']['insights'];

/** The package-insights client of this process, with a cache. */
export async function openInsights(
  loaded: LoadedConfig,
  cache: Cache,
  { budget, http, backoff, advisoryChanges, ...options }: OwnOptions & InsightsConnection = {},
) {
  const connection = { budget, http, backoff, advisoryChanges };
  const { clientOf, close } = await openInsightsClients(loaded, connection);
  return { insights: clientOf(cache, options), close };
}

/** Package-insights clients with their own caches, which share connections and limits. */
export async function openInsightsClients({ config }: LoadedConfig, connection: InsightsConnection) {
  const { concurrency, recordTtl, missTtl, privatePackages, mirrors } = config.insights;
  const isLocal = !config.insights.sources.includes('api');
  const imported = await openImported(config, connection);
  const { api, http } =
    isLocal && imported !== undefined ? NO_SERVICE : await openInsightsApi(config.insights, connection);
  const limit = pLimit(concurrency);
  const gate = createGate(pausesOf(connection));
  const offered = createOffered();
  return {
    clientOf: (cache: Cache, options: OwnOptions) =>
      createInsights({
        ...options,
        api,
        imported: imported?.current,
        isLocal,
        cache,
        limit,
        gate,
        offered,
        recordTtlMs: recordTtl,
        missTtlMs: missTtl,
        privatePatterns: privatePackages,
        mirrors,
      }),
    async close() {
      await imported?.close();
      await http?.close();
    },
  };
}

/** A service that has nothing, without its description: it takes longer to read than a small scan. */
const NO_SERVICE: { readonly api: ApiClient; readonly http?: undefined } = {
  api: {
    document: {},
    call: async (request) => {
      const content = { kind: 'text' as const, text: 'not found' };
      return { status: 404, headers: {}, content, body: Buffer.alloc(0), request };
    },
  },
};

/** An attempt follows after half of its delay at the earliest. */
function pausesOf({ backoff: { backoffMs, maxBackoffMs } = {} }: InsightsConnection): GateOptions {
  return {
    ...(backoffMs === undefined ? {} : { firstPauseMs: backoffMs / 2 }),
    ...(maxBackoffMs === undefined ? {} : { longestPauseMs: maxBackoffMs / 2 }),
  };
}

/** An API client for the bundled description, and its connections. `budget` limits the rate of its requests. */
export async function openInsightsApi(
  config: Pick<InsightsConfig, 'url' | 'timeout' | 'concurrency'>,
  connection: InsightsConnection = {},
): Promise<{ api: ApiClient; http: HttpClient }> {
  const { budget } = connection;
  const http = connection.http ?? (await openHttp(config, budget));
  const document = await readBundledDescription('insights.v3alpha');
  const paced = budget === undefined ? http : pausingClient(http, budget);
  return { http, api: createApiClient({ document, http: paced, rootUrl: config.url, readOnly: true }) };
}

/** Opens the imported advisories. Returns `undefined` when `insights.sources` does not name them, or a local index answers. */
async function openImported(
  { insights, data }: Pick<LoadedConfig['config'], 'insights' | 'data'>,
  { http, advisoryChanges }: InsightsConnection,
) {
  if (http !== undefined || !insights.sources.includes('osv')) return undefined;
  const { openAdvisoryIndex } = await import('./advisory-index.ts');
  const isFollowed = advisoryChanges !== undefined && data.osv.url !== undefined;
  return await openAdvisoryIndex(dataFolder(data.folder), advisoryChanges, { isFollowed });
}

/** The HTTP client is loaded on first use: a local index may answer all requests. */
async function openHttp(
  { timeout, concurrency }: Pick<InsightsConfig, 'timeout' | 'concurrency'>,
  budget: RequestBudget | undefined,
): Promise<HttpClient> {
  const { createHttpClient } = await import('../http/undici-client.ts');
  return createHttpClient({
    service: 'insights',
    retry: ONE_RETRY,
    headersTimeoutMs: timeout,
    bodyTimeoutMs: timeout,
    totalTimeoutMs: timeout,
    connections: concurrency,
    beforeAttempt: budget === undefined ? undefined : (signal) => budget.take(signal),
  });
}

/** After a 429 with `Retry-After`, all requests that share the budget wait. */
function pausingClient(http: HttpClient, budget: RequestBudget): HttpClient {
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

/** Logs each place of an answer once per process: a service that changed has the same problem with every package. */
export function warnOnce(log: Pick<Log, 'warn'>) {
  const logged = new Set<string>();
  return ({ path, message }: { readonly path: string; readonly message: string }, subject: string): void => {
    const place = path.replace(/\[\d+\]/g, '[]');
    if (logged.has(place)) return;
    logged.add(place);
    log.warn({ subject, path, message }, 'an insights answer does not match its description');
  };
}
