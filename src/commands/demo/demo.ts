import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../compose/logger.ts';
import { openNotifier } from '../../compose/notify/notifier.ts';
import { startPipeline } from '../../compose/pipeline.ts';
import { openStore, type Store } from '../../compose/store.ts';
import { runWorker } from '../../compose/worker.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { configSchema } from '../../config/schema.ts';
import { type LocalServices, startLocalServices } from '../../embedded/local-services.ts';
import { DELIVER_NOTIFICATION } from '../../jobs/payloads/deliver-notification.ts';
import { defined } from '../../model/defined.ts';
import { newScanId, scanIdOf } from '../../model/scan/scan-id.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { createMasker, Secret } from '../../model/secret.ts';
import type { Provisioned } from '../../notify/provisioning/provision.ts';
import { withoutFaults } from '../../notify/provisioning/read-back.ts';
import { createProducer, type Producer } from '../../producer.ts';
import { startServe } from '../../server/serve.ts';
import { type ScanProgress, type ScanWatch, watchScans } from '../scanning/scan-watch.ts';
import { seedYear } from './demo-year.ts';

/** An alert as it was received, with secrets masked. */
export type DemoAlert = Pick<
  ReturnType<LocalServices['receiver']['deliveries']>[number],
  'id' | 'method' | 'path' | 'headers' | 'body'
>;

interface DemoScan {
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly path: string;
  readonly content: Buffer;
  /** RFC 3339. Default: now. */
  readonly requestedAt?: string;
  readonly progress: ScanProgress;
}

export type Demo = Awaited<ReturnType<typeof startDemo>>;

const WEBHOOK = 'lockhound-demo';
const DELIVERY_LIMIT_MS = 20_000;
const DAY_MS = 86_400_000;

/** Starts the engine, the services, a worker and a producer on this machine. */
export async function startDemo(signal: AbortSignal) {
  const secrets = { apiKey: randomSecret(), applicationKey: randomSecret(), token: randomSecret() };
  const closeSteps: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const step of closeSteps.reverse()) await step();
  };
  try {
    const key = { apiKey: secrets.apiKey.reveal(), applicationKey: secrets.applicationKey.reveal() };
    const services = await startLocalServices({ webhooks: { keys: [key] } });
    closeSteps.push(services.close);
    const loaded = demoConfig(services, secrets);
    const log = createLogger(loaded);
    const store = await openStore(loaded, log);
    closeSteps.push(store.close);
    if (loaded.config.notify === undefined)
      throw new RangeError('the configuration of the demo has no webhook');
    const notifier = await openNotifier(loaded, loaded.config.notify, store, log);
    closeSteps.push(notifier.close);
    const provisioned = withoutFaults(await notifier.provision(signal));
    const watch = watchScans(store);
    const pipeline = await startPipeline(loaded, store, {
      log,
      notifier,
      onEvent: watch.onEvent,
    });
    let isWorking = true;
    const stopPipeline = async (): Promise<void> => {
      if (isWorking) await pipeline.close(2_000);
      isWorking = false;
    };
    closeSteps.push(stopPipeline);
    const producer = await createProducer({ redis: store.urls.join(','), prefix: store.prefix });
    closeSteps.push(producer.close);
    return {
      ...demoOf({ services, store, watch, producer, signal, secrets: Object.values(secrets) }),
      /**
       * Serves the live page over this fleet until the demo is closed. A worker then keeps the fleet up to date. Resolves to the URL
       * when the API lists all targets and what a year of use leaves behind. `port` 0: any.
       */
      async serve(port: number): Promise<string> {
        const redis = { ...loaded.config.redis, url: store.urls.join(',') };
        const dueIn = { ...loaded.config.policy.dueIn, critical: 7 * DAY_MS, high: 30 * DAY_MS };
        const policy = { ...loaded.config.policy, dueIn };
        const shared = { ...loaded, config: { ...loaded.config, redis, policy } };
        // It has no schedules, and would refuse the jobs of those that the page gets.
        await stopPipeline();
        const worker = await runWorker(shared, { signal, ephemeral: false });
        closeSteps.push(worker.close);
        const server = await startServe(shared, { port });
        closeSteps.push(server.close);
        await server.follow();
        await seedYear(store, server.url);
        return server.url;
      },
      /** The services that were started and the objects that were provisioned, one line each. */
      facts: factsOf(services, store, provisioned),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface DemoParts {
  readonly services: LocalServices;
  readonly store: Store;
  readonly watch: ScanWatch;
  readonly producer: Producer;
  readonly signal: AbortSignal;
  readonly secrets: readonly Secret[];
}

function demoOf({ services, store, watch, producer, signal, secrets }: DemoParts) {
  let shown = 0;
  return {
    /** Enqueues a scan as another service would. Resolves when it is judged and its alert is delivered. */
    async scan({ target, labels, path, content, requestedAt, progress }: DemoScan): Promise<ScanReport> {
      const scan = scanIdOf(target, newScanId());
      await producer.enqueue({
        scan,
        target: { id: target, labels },
        lockfiles: [{ path, content }],
        ...defined({ requestedAt }),
      });
      const report = await watch.report(scan, { progress, signal });
      if (report.verdict.changes.length > 0) await waitForDelivery(store, scan, signal);
      return report;
    },
    /** Alerts that reached the receiver since the last call. */
    async alerts(): Promise<readonly DemoAlert[]> {
      const fresh = services.receiver.deliveries().slice(shown);
      shown += fresh.length;
      return fresh.map(({ id, method, path, headers, body }) => ({
        id,
        method,
        path,
        headers: maskValues(alertHeaders(headers), secrets),
        body,
      }));
    },
    /** Makes the local insights service serve the advisory that it held back until now. */
    publishAdvisory() {
      const [advisory] = services.insights.heldBack;
      if (advisory === undefined) throw new RangeError('the bundled data has no advisory that is held back');
      services.insights.learnAdvisory(advisory);
      return { id: advisory.id, title: advisory.title };
    },
  };
}

async function waitForDelivery(store: Store, scan: string, signal: AbortSignal): Promise<void> {
  const until = performance.now() + DELIVERY_LIMIT_MS;
  while ((await store.outcomes.read(DELIVER_NOTIFICATION.name, `${scan}.default`)) === undefined) {
    if (performance.now() > until) return;
    await sleep(20, undefined, { signal });
  }
}

/** The headers that belong to the alert, not to the connection. */
function alertHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) =>
      /^(?:content-type|user-agent|authorization|webhook-.*)$/.test(name),
    ),
  );
}

function maskValues(headers: Readonly<Record<string, string>>, secrets: readonly Secret[]) {
  const mask = createMasker(secrets.map((secret) => secret.reveal()));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value)]));
}

interface DemoSecrets {
  readonly apiKey: Secret;
  readonly applicationKey: Secret;
  readonly token: Secret;
}

function demoConfig({ insights, webhooks, receiver }: LocalServices, secrets: DemoSecrets): LoadedConfig {
  const reference = { env: 'UNUSED_THE_DEMO_GENERATES_ITS_SECRETS' };
  const config = configSchema.parse({
    // The advisory that is added during the demo must be visible immediately.
    insights: { url: insights.url, recordTtl: '1ms', missTtl: '1ms' },
    notify: {
      platform: { url: webhooks.url, apiKey: reference, applicationKey: reference },
      webhook: {
        name: WEBHOOK,
        url: `${receiver.url}/alerts`,
        headers: { authorization: 'Bearer $ALERT_TOKEN' },
      },
      variables: { ALERT_TOKEN: { secret: reference } },
      allowAddresses: ['127.0.0.1'],
    },
    owners: [
      ...['payments', 'web', 'data', 'platform'].map((team) => ({
        labels: { team },
        owners: [`@example/${team}`],
      })),
      { owners: ['@example/demo', 'sam@example.com'] },
    ],
    // What is not permitted is reported, and fails nothing.
    policy: {
      licenses: { deny: ['CC-BY-4.0', 'Python-2.0'] },
      rules: { licenses: { level: 'note' } },
    },
    // The page then shows a fleet that was looked up again.
    watch: { jitter: '0s' },
    log: { level: 'error' },
  });
  const { apiKey, applicationKey, token } = secrets;
  return {
    config,
    secrets: { apiKey, applicationKey, variables: new Map([['ALERT_TOKEN', token]]) },
    file: undefined,
  };
}

function randomSecret(): Secret {
  return new Secret(randomBytes(18).toString('base64url'));
}

function factsOf(services: LocalServices, store: Store, { changes }: Provisioned): readonly string[] {
  return [
    `embedded Valkey              ${store.embedded?.url} (${Math.round(store.embedded?.startedInMs ?? 0)} ms)`,
    `package-insights service     ${services.insights.url}`,
    `webhook-integration service  ${services.webhooks.url}`,
    `receiver of alerts           ${services.receiver.url}`,
    ...changes.map(
      ({ kind, name, action, fields }) =>
        `${kind} ${name}: ${action} (${fields.map((field) => field.name).join(', ')})`,
    ),
  ];
}
