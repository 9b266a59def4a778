import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { createLogger } from '../compose/logger.ts';
import { startPipeline } from '../compose/pipeline.ts';
import { openStore } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { COMMAND_INLINE_BYTES } from '../lockfiles/threads/lockfile-reader.ts';
import type { ScanReport } from '../model/scan/scan-report.ts';
import { createProducer } from '../producer.ts';
import { ScanError } from './errors.ts';
import { readLockfilePaths } from './lockfile-paths.ts';
import type { OnProgress } from './scan-progress.ts';
import { watchScans } from './scan-watch.ts';

export interface ScanOptions {
  readonly paths: readonly string[];
  /** Asks the bundled local service. */
  readonly local: boolean;
  /** Default: the name of the first path's folder. */
  readonly target?: string;
  readonly format?: string;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** A person waits: two tries, soon after one another, instead of retrying for minutes. */
const IMPATIENT = { attempts: 2, backoffMs: 500, maxBackoffMs: 2_000 };
const GRACE_MS = 2_000;

/**
 * The `scan` command: the whole pipeline in this process, on an engine of its own that ends with it. Throws `ScanError`,
 * `LockfileError` for paths that cannot be read, `EmbeddedError`.
 */
export async function scanPaths(given: LoadedConfig, options: ScanOptions): Promise<ScanReport> {
  const { paths, format, signal, onProgress } = options;
  const { maxBytes } = given.config.lockfiles;
  const lockfiles = await readLockfilePaths({
    paths,
    signal,
    maxBytes,
    ...(format === undefined ? {} : { format }),
  });
  const service = options.local ? await startLocalInsights() : undefined;
  const loaded = privately(given, service?.url);
  const log = createLogger(loaded);
  const store = await openStore(loaded, log);
  try {
    const watch = watchScans(store);
    const producer = await createProducer({ redis: store.urls.join(','), prefix: store.prefix, maxBytes });
    const pipeline = await startPipeline(loaded, store, {
      log,
      limits: IMPATIENT,
      inlineBytes: COMMAND_INLINE_BYTES,
      onEvent: watch.onEvent,
      ...(service === undefined ? {} : { covers: service.covers }),
    });
    try {
      const scan = randomUUID();
      const finished = watch.report(scan, { onProgress, signal });
      await Promise.all([
        producer.enqueue({ scan, target: { id: options.target ?? targetOf(paths[0] ?? '.') }, lockfiles }),
        finished,
      ]);
      return reachable(await finished, loaded);
    } finally {
      await producer.close();
      await pipeline.close(GRACE_MS);
    }
  } finally {
    await store.close();
    await service?.close();
  }
}

async function startLocalInsights() {
  const { startInsightsService } = await import('../embedded/insights/service.ts');
  return await startInsightsService();
}

/** The configuration of a run that shares nothing with anybody and tells nobody. */
function privately({ config, secrets, file }: LoadedConfig, localUrl: string | undefined): LoadedConfig {
  const { prefix } = config.redis;
  const insights = localUrl === undefined ? config.insights : { ...config.insights, url: localUrl };
  const { notify: _notify, ...others } = config;
  // The report says everything; the log is for looking closer, and stays quiet unless it was asked for.
  const log = { level: config.log.level === 'info' ? ('error' as const) : config.log.level };
  return { config: { ...others, log, redis: { prefix }, insights }, secrets, file };
}

function targetOf(path: string): string {
  return basename(resolve(path)) || 'target';
}

/** When not one look-up succeeded, the scan says nothing: that is an error. */
function reachable(report: ScanReport, { config }: LoadedConfig): ScanReport {
  const { outcomes } = report.verdict.counts;
  if (outcomes.failed === 0 || outcomes.resolved + outcomes.missing + outcomes.uncovered > 0) return report;
  const gap = report.verdict.gaps.find(({ kind }) => kind === 'package');
  throw new ScanError(
    'insights-unreachable',
    `no package could be looked up at ${config.insights.url}: ${gap?.reason ?? 'no answer'}\n` +
      'Check the connection and insights.url. `lockhound parse` needs no network. --local needs none either, but its ' +
      'data covers little more than examples/shop: what it does not cover is not looked up.',
  );
}
