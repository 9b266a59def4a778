import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { scanFailure } from '../../src/commands/scanning/scan-progress.ts';
import { watchScans } from '../../src/commands/scanning/scan-watch.ts';
import { startPipeline } from '../../src/compose/pipeline.ts';
import { openScanner } from '../../src/compose/scanner.ts';
import { openStore } from '../../src/compose/store.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { type InsightsData, readBundledData } from '../../src/embedded/insights/data-set.ts';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { startValkey } from '../../src/embedded/valkey.ts';
import { createMemory } from '../../src/in-process/memory.ts';
import type { NotifierPort } from '../../src/jobs/ports.ts';
import type { Notification } from '../../src/model/alert/notification.ts';
import type { Routing } from '../../src/model/alert/routing.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { createProducer } from '../../src/producer.ts';
import type { ScanRequest } from '../../src/scan/request.ts';
import type { WorkerEvent } from '../../src/workers/events.ts';
import { until } from '../until.ts';

/** A runtime of jobs with its own service and the state that it stores between scans. */
export interface Room {
  readonly service: InsightsService;
  /** The report once all follow-ups of the scan are done. Rejects when the scan failed. */
  scan(request: ScanRequest): Promise<ScanReport>;
  state(target: string): Promise<TargetState | undefined>;
  readonly events: readonly WorkerEvent[];
  /** In the order in which they were sent. */
  readonly sent: readonly Notification[];
  close(): Promise<void>;
}

export interface Runtimes {
  readonly worker: (routing?: Routing) => Promise<Room>;
  readonly inProcess: (routing?: Routing) => Promise<Room>;
  close(): Promise<void>;
}

const NO_ROUTES: Routing = { take: 'all', firstScan: 'all', rules: [] };
const LIMITS = { attempts: 2, backoffMs: 20, maxBackoffMs: 50 };
const SILENT = pino({ level: 'silent' });

/** Both runtimes: that of a worker over an embedded Valkey, and that of a scan without a queue. */
export async function openRuntimes(): Promise<Runtimes> {
  const valkey = await startValkey();
  // The service stands for the public one, which knows every package.
  const data = { ...(await readBundledData()), partial: false };
  return {
    worker: (routing = NO_ROUTES) => openWorker(valkey.url, data, routing),
    inProcess: (routing = NO_ROUTES) => openInProcess(data, routing),
    close: () => valkey.close(),
  };
}

async function openWorker(redisUrl: string, data: InsightsData, routing: Routing): Promise<Room> {
  const service = await startInsightsService({ data });
  const loaded = configFor(service, { REDIS_URL: redisUrl, LOCKHOUND_REDIS_PREFIX: `{${randomUUID()}}` });
  const store = await openStore(loaded, SILENT);
  const watch = watchScans(store);
  const producer = await createProducer({ redis: redisUrl, prefix: store.prefix });
  const { events, onEvent, sent, port } = record();
  const pipeline = await startPipeline(loaded, store, {
    log: SILENT,
    limits: LIMITS,
    notifier: { portOf: () => port, routing },
    onEvent(event) {
      onEvent(event);
      watch.onEvent(event);
    },
  });
  return {
    service,
    events,
    sent,
    state: store.targets.read,
    async scan({ scan: chosen = randomUUID(), ...request }) {
      const scan = scanIdOf(request.target.id, chosen);
      const [report] = await Promise.all([watch.report(scan, {}), producer.enqueue({ ...request, scan })]);
      await until('deliveries are done', async () => (await store.deliveries.list(['open'])).length === 0);
      return report;
    },
    async close() {
      await producer.close();
      await pipeline.close(1_000);
      await store.close();
      await service.close();
    },
  };
}

async function openInProcess(data: InsightsData, routing: Routing): Promise<Room> {
  const service = await startInsightsService({ data });
  const memory = createMemory();
  const { events, onEvent, sent, port } = record();
  const scanner = await openScanner(configFor(service, {}), {
    log: SILENT,
    signal: new AbortController().signal,
    limits: LIMITS,
    memory,
    notifier: { port, routing },
    onEvent,
  });
  return {
    service,
    events,
    sent,
    state: memory.targets.read,
    async scan(request) {
      const report = await scanner.scan(request);
      const failure = events.map(scanFailure).find((one) => one !== undefined);
      if (report === undefined) throw failure ?? new Error('no report and no failure');
      return report;
    },
    async close() {
      await scanner.close();
      await service.close();
    },
  };
}

function configFor({ url }: InsightsService, environment: Readonly<Record<string, string>>): LoadedConfig {
  return loadConfig({
    environment: { LOCKHOUND_INSIGHTS_URL: url, LOCKHOUND_INSIGHTS_RECORD_TTL: '1ms', ...environment },
  });
}

function record() {
  const events: WorkerEvent[] = [];
  const sent: Notification[] = [];
  const port: NotifierPort = {
    async deliver(route, read) {
      const notification = await read();
      sent.push(notification);
      return { kind: 'delivered', receipt: { id: notification.id, route, status: 204, answer: '' } };
    },
  };
  return { events, sent, port, onEvent: (event: WorkerEvent) => void events.push(event) };
}
