import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { currentData } from '../compose/exploits.ts';
import { openFleetNumbers } from '../compose/fleet-numbers.ts';
import { type FleetStore, openFleetStore } from '../compose/fleet-store.ts';
import { openHealth } from '../compose/health.ts';
import { createLogger, logConfigNotes } from '../compose/logger.ts';
import { waitForRedis } from '../compose/redis-connection.ts';
import type { MonitoredWorker } from '../compose/worker/worker-health.ts';
import type { LoadedConfig } from '../config/load.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import type { RestDescription } from '../discovery/description/description.ts';
import { directoryOf, documentPath, withRootUrl } from '../discovery/directory/served-directory.ts';
import { packageFile } from '../files/package-file.ts';
import { openFleetView } from '../fleet/view/fleet-view.ts';
import { holdPackages } from '../fleet/view/held-packages.ts';
import { lazily } from '../model/lazily.ts';
import { listen } from '../model/listen.ts';
import { type CallOperation, createCall } from '../operations/call.ts';
import { OPERATIONS } from '../operations/catalog.generated.ts';
import { firstShard, lazyGate } from '../operations/context.ts';
import type { Call, MethodId, Operation } from '../operations/operation.ts';
import { createPageTokens } from '../operations/page-token.ts';
import { Refusal } from '../operations/refusal.ts';
import { shardOf } from '../store/shards/shard-layout.ts';
import { logThrottled } from '../workers/throttled-log.ts';
import { createApiServer } from './api/api-server.ts';
import { openAskStore } from './api/ask-store.ts';
import { openCallers } from './api/auth/callers.ts';
import { createRequestRates } from './api/auth/request-rates.ts';
import { sessionOperations } from './api/auth/session-operations.ts';
import { eventOperations } from './api/events/event-operations.ts';
import { withHidden } from './api/hidden.ts';
import type { HttpOperations } from './api/http-operation.ts';
import type { Json } from './api/json-schema.ts';
import { OPEN_API } from './api/openapi.generated.ts';
import { addPost, type RouteParts } from './api/post-route.ts';
import { type HealthServer, startHealthServer } from './health.ts';
import { addMonitoring } from './metrics/monitoring.ts';
import { addNpmAudit } from './npm-audit.ts';
import { mountPage } from './page/mount-page.ts';
import { type ServeContext, snapshotOf } from './serve-context.ts';
import { addPushTriggers } from './triggers/push.ts';

export interface ServeOptions {
  /** Replace `serve.host` and `serve.port`. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Folder of the built page. Default: that of the package. */
  readonly page?: URL | undefined;
  /** The worker in this process, whose metrics and readiness are served. */
  readonly worker?: MonitoredWorker | undefined;
  /** Time limit for what a request asks of Redis, in ms. Default 30 s. */
  readonly answerMs?: number | undefined;
  /** Until it aborts, the start waits for Redis. Default: `StoreError` after 10 s. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunningServer {
  /** The URL at which it listens, without a trailing slash. */
  readonly url: string;
  /** The URL of the health port, if it is open. */
  readonly health: string | undefined;
  /** Who is answered while there is no token. */
  readonly note: string | undefined;
  /** Resolves when targets and findings that are stored now can be listed. Rejects with what the store throws. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves the API. Throws `ConfigError` when `redis.url` is not set, when a secret cannot be read or when the address is not one of this
 * machine, and `StoreError` when Redis does not answer.
 */
export async function startServe(loaded: LoadedConfig, options: ServeOptions = {}): Promise<RunningServer> {
  const log = createLogger(loaded);
  // Before anything is opened.
  for (const secret of [loaded.secrets.serveKey, ...(loaded.secrets.triggers?.values() ?? [])])
    secret?.reveal();
  logConfigNotes(loaded, log);
  const health = await startServeHealth(loaded, options);
  try {
    return await serveWith(loaded, options, { log, health });
  } catch (error) {
    await health?.close();
    throw error;
  }
}

/** The server without tokens, for probes and Prometheus. That of a worker in the same process is its own. */
async function startServeHealth(
  { config }: LoadedConfig,
  { worker }: ServeOptions,
): Promise<HealthServer | undefined> {
  const { healthHost: host, healthPort: port } = config.serve;
  return port === undefined || worker !== undefined ? undefined : await startHealthServer({ host, port });
}

/** Waits for Redis, then serves. */
async function serveWith(
  loaded: LoadedConfig,
  options: ServeOptions,
  { log, health }: { readonly log: Logger; readonly health: HealthServer | undefined },
): Promise<RunningServer> {
  const { serve } = loaded.config;
  const host = options.host ?? serve.host;
  const { signal } = options;
  const stores = await openFleetStore(loaded, {
    waiting: signal === undefined ? undefined : waitForRedis(log, signal, health),
  });
  const { redis, apiTokens, apiAnswers } = firstShard(stores);
  const callers = await openCallers(loaded, apiTokens, host).catch(async (error: unknown) => {
    await stores.close();
    throw error;
  });
  const context = contextOf(loaded, stores, log);
  const askStore = openAskStore(redis, options.answerMs);
  const authenticate = (request: FastifyRequest) => askStore(() => callers.authenticate(request));
  const events = eventOperations(context);
  const document = await readBundledDescription('lockhound.v1');
  const countRequest = createRequestRates(serve.requestsPerSecond);
  const app = createApiServer({
    document,
    operations: {
      ...boundOperations(context),
      ...sessionOperations({ apiTokens, callers, publicUrl: serve.publicUrl }),
      ...events.operations,
    },
    authenticate,
    askStore,
    answers: apiAnswers,
    countRequest,
    log,
    receiveMs: serve.receiveTimeout,
    maxBodyBytes: serve.maxBodyBytes,
  });
  addDocuments(app, document, serve.publicUrl);
  mountPage(app, options.page ?? packageFile('dist/page/'));
  const routeParts = { authenticate, countRequest, askStore };
  addNpmAudit(app, context, routeParts);
  addMcp(app, document, context, routeParts);
  addPushTriggers(app, { ...context, askStore }, log);
  const monitoring = addMonitoring(app, { ...context, worker: options.worker }, authenticate);
  const close = async (): Promise<void> => {
    await Promise.all([app.close(), health?.close()]);
    await monitoring.close();
    // The connection at the same time: without Redis, the others wait for answers until it is closed.
    await Promise.all([events.close(), context.view.close(), context.gate.close(), stores.close()]);
  };
  try {
    const url = await listen(app, 'The API', { host, port: options.port ?? serve.port });
    health?.show(monitoring);
    log.info({ url, health: health?.url }, 'serving the API');
    if (callers.note !== undefined && options.worker !== undefined) log.warn(callers.note);
    return { url, health: health?.url, note: callers.note, follow: context.view.follow, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The operations of the catalog, each loaded when it is called first. */
function boundOperations(context: ServeContext) {
  const entries = Object.entries(OPERATIONS).map(([id, load]) => {
    const loaded = lazily(load as () => Promise<Operation<MethodId>>);
    return [id, async (call: Call) => await (await loaded())(call, context)] as const;
  });
  return Object.fromEntries(entries) as unknown as Pick<HttpOperations, keyof typeof OPERATIONS>;
}

function contextOf(loaded: LoadedConfig, stores: FleetStore, log: Logger): ServeContext {
  const { onUnreadable } = stores;
  const logFailure = logThrottled(log, 'the fleet cannot be read; answers are those of the last reading');
  const logExploits = (reason: string) =>
    log.error(`priorities lack what is known about exploitation: ${reason}`);
  const exploits = currentData(firstShard(stores).exploits, logExploits);
  const shardIn = (target: string) => shardOf(target, stores.shards.length);
  const view = openFleetView(
    {
      shards: stores.shards,
      exploits,
      staleAfter: loaded.config.watch.staleAfter,
      onUnreadable,
      onFailure: (reason) => logFailure(new Error(reason)),
    },
    shardIn,
  );
  const key = loaded.secrets.serveKey?.reveal();
  const tokens = createPageTokens(key === undefined ? randomBytes(32) : Buffer.from(key));
  const logEvents = logThrottled(log, 'changes and scans cannot be read; readers of events wait');
  const numbers = openFleetNumbers(stores.shards, loaded.config.watch.staleAfter);
  return {
    loaded,
    fleet: stores,
    packages: stores.shards.map((store, index) => holdPackages(store, (target) => shardIn(target) === index)),
    view,
    snapshot: async () => snapshotOf({ view }),
    staleness: async () => view.isStale,
    readAt: view.readAt,
    follow: view.follow,
    exploits,
    gate: lazyGate(loaded, stores, exploits),
    tokens,
    numbers,
    health: openHealth(loaded, stores, numbers),
    onEventFailure: (reason) => logEvents(new Error(reason)),
  };
}

/** Adds `POST /mcp`: the streamable HTTP transport of the Model Context Protocol. The tools have the rights of the caller. */
function addMcp(
  app: FastifyInstance,
  document: RestDescription,
  context: ServeContext,
  parts: RouteParts,
): void {
  addPost(app, '/mcp', { ...parts, bodyLimit: 1_048_576 }, async (request, principal, signal) => {
    const own = createCall(document, context, principal);
    const call: CallOperation = (id, params, options) =>
      parts.askStore(() => withHidden(principal, () => own(id, params, { ...options, signal })));
    // The SDK is loaded with the first question.
    const { answerMcp, createMcpServer } = await import('./mcp.ts');
    const headers = request.headers as Readonly<Record<string, string>>;
    const asked = new Request(`http://localhost${request.url}`, { method: 'POST', headers });
    return await answerMcp(createMcpServer(document, call), asked, request.body);
  });
}

/**
 * Adds the directory of the discovery service, the description document and its form as OpenAPI. They need no role. `publicUrl`: by
 * which callers reach the server. Default: the host that they name.
 */
function addDocuments(app: FastifyInstance, document: RestDescription, publicUrl?: string): void {
  const rootOf = (request: FastifyRequest): string => publicUrl ?? hostOf(request);
  const { name = '', version = '', servicePath = '' } = document;
  const openApi: Json = JSON.parse(OPEN_API);
  app.get('/discovery/v1/apis', async (request) => {
    const parameters = new URLSearchParams(request.raw.url?.split('?')[1]);
    return directoryOf([document], new Map(parameters), rootOf(request).replace(/\/$/, ''));
  });
  app.get(documentPath(name, version), async (request) => withRootUrl(document, rootOf(request)));
  app.get('/openapi.json', async (request) => {
    const url = new URL(servicePath, rootOf(request)).href.replace(/\/$/, '');
    return { ...openApi, servers: [{ url }] };
  });
}

/** The URL by which the caller reaches this server. */
function hostOf({ protocol, host }: { readonly protocol: string; readonly host: string }): string {
  const url = URL.parse(`${protocol}://${host}`);
  if (url === null) throw new Refusal(400, 'host-invalid', 'the header Host is not valid');
  return url.origin;
}
