import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { watchScans } from '../../src/commands/scanning/scan-watch.ts';
import { startPipeline } from '../../src/compose/pipeline.ts';
import { openScanner } from '../../src/compose/scanner.ts';
import { openStore } from '../../src/compose/store.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { type InsightsData, readBundledData } from '../../src/embedded/insights/data-set.ts';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { affectedVersions } from '../../src/insights/losses/witnesses.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { createProducer } from '../../src/producer.ts';
import type { ScanRequest } from '../../src/scan/read.ts';
import { startRedis } from '../redis.ts';

/** What scans the lockfiles of a target, with its own service. */
export interface Room {
  readonly service: InsightsService;
  /** The report of a scan. Rejects when the scan failed. */
  scan(request: ScanRequest): Promise<ScanReport>;
  /** How often something was tried again. */
  retries(): number;
  close(): Promise<void>;
}

export interface Rooms {
  readonly worker: () => Promise<Room>;
  readonly core: () => Promise<Room>;
  close(): Promise<void>;
}

const BACKOFF_MS = 40;
const SILENT = pino({ level: 'silent' });

/** A worker over an embedded Valkey, and the core that `lockhound scan` calls. */
export async function openRooms(): Promise<Rooms> {
  const valkey = await startRedis();
  const data = whole(await readBundledData());
  return {
    worker: () => openWorker(valkey.url, data),
    core: () => openCore(data),
    close: () => valkey.close(),
  };
}

/** The service stands for the public one, which knows every package, also the well-known ones. */
function whole(data: InsightsData): InsightsData {
  const system = 'NPM' as const;
  const further = affectedVersions(system).filter(({ isWitness }) => !isWitness);
  const affected = further.map(({ name, version }) => ({ system, name, range: version }));
  const advisory = { id: 'GHSA-wwww-wwww-wwww', title: 'A flaw', aliases: [], heldBack: false, affected };
  const packages = further.map(({ name, version }) => ({ system, name, versions: [{ version }] }));
  return {
    ...data,
    partial: false,
    packages: [...data.packages, ...packages],
    advisories: [...data.advisories, advisory],
  };
}

async function openWorker(redisUrl: string, data: InsightsData): Promise<Room> {
  const service = await startInsightsService({ data });
  const loaded = configFor(service, { REDIS_URL: redisUrl, LOCKHOUND_REDIS_PREFIX: `{${randomUUID()}}` });
  const store = await openStore(loaded, SILENT);
  const watch = watchScans(store);
  const producer = await createProducer({ redis: redisUrl, prefix: store.prefix });
  let retries = 0;
  const pipeline = await startPipeline(loaded, store, {
    log: SILENT,
    limits: { attempts: 2, backoffMs: BACKOFF_MS / 2, maxBackoffMs: BACKOFF_MS },
    onEvent(event) {
      if (event.kind === 'retrying') retries += 1;
      watch.onEvent(event);
    },
  });
  return {
    service,
    retries: () => retries,
    async scan({ scan: chosen = randomUUID(), ...request }) {
      const scan = scanIdOf(request.target.id, chosen);
      const [report] = await Promise.all([
        watch.report(scan, { signal: new AbortController().signal }),
        producer.enqueue({ ...request, scan }),
      ]);
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

async function openCore(data: InsightsData): Promise<Room> {
  const service = await startInsightsService({ data });
  let retries = 0;
  const scanner = await openScanner(configFor(service, {}), {
    log: {
      info() {},
      error() {},
      warn() {
        retries += 1;
      },
    },
    signal: new AbortController().signal,
    onProgress: () => {},
    onWait: () => {},
    backoffMs: BACKOFF_MS,
  });
  return {
    service,
    retries: () => retries,
    scan: scanner.scan,
    async close() {
      await scanner.close();
      await service.close();
    },
  };
}

function configFor({ url }: InsightsService, environment: Readonly<Record<string, string>>): LoadedConfig {
  const loaded = loadConfig({
    environment: { LOCKHOUND_INSIGHTS_URL: url, LOCKHOUND_INSIGHTS_RECORD_TTL: '1ms', ...environment },
  });
  // Workers alone inspect versions of a first scan that may be young, and the data set states few dates.
  const watch = { ...loaded.config.watch, inspect: false };
  return { ...loaded, config: { ...loaded.config, watch } };
}
