import { basename, resolve } from 'node:path';
import { createDeferredLog } from '../compose/deferred-log.ts';
import { openScanner } from '../compose/scanner.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ScanRequest } from '../jobs/scan-request.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { ScanError } from './errors.ts';
import { isLarge, limitGarbage } from './large-scan.ts';
import { readLockfilePaths } from './lockfile-paths.ts';
import { type OnProgress, scanFailure, scanProgress } from './scan-progress.ts';

export interface ScanOptions {
  readonly paths: readonly string[];
  /** Uses the bundled local service. */
  readonly local: boolean;
  /** Default: the name of the first path's folder. */
  readonly target?: string | undefined;
  readonly format?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** The user waits for the result, so a job gets two attempts in quick succession. */
const INTERACTIVE_LIMITS = { attempts: 2, backoffMs: 500, maxBackoffMs: 2_000 };

/**
 * The `scan` command: the jobs of a worker, run in this process without Redis or a queue. Throws `ScanError`, `LockfileError`
 * for paths that cannot be read, `EmbeddedError`.
 */
export async function scanPaths(given: LoadedConfig, options: ScanOptions): Promise<ScanReport> {
  const { signal, onProgress } = options;
  const loaded = standaloneConfig(given);
  const progress = scanProgress(onProgress);
  let failure: ScanError | undefined;
  const scanner = await openScanner(loaded, {
    log: createDeferredLog(loaded),
    signal,
    limits: INTERACTIVE_LIMITS,
    local: options.local ? await openLocalIndex() : undefined,
    onEvent(event) {
      progress(event);
      failure ??= scanFailure(event);
    },
  });
  try {
    // Not kept in a variable, so that the contents can be freed before the scan ends.
    const report = await scanner.scan(await readRequest(loaded, options));
    if (report !== undefined) return requireLookUps(report, loaded);
    throw failure ?? new ScanError('scan-failed', 'the scan ended without a verdict');
  } finally {
    await scanner.close();
  }
}

async function readRequest({ config }: LoadedConfig, options: ScanOptions): Promise<ScanRequest> {
  const { paths, format, signal } = options;
  const { maxBytes } = config.lockfiles;
  const lockfiles = await readLockfilePaths({ paths, signal, maxBytes, format });
  if (isLarge(lockfiles)) limitGarbage();
  return { target: { id: options.target ?? targetOf(paths[0] ?? '.') }, lockfiles };
}

async function openLocalIndex() {
  const local = await import('../embedded/insights/local-index.ts');
  return await local.openLocalIndex();
}

/** The configuration of a run that shares no state and sends no alerts. */
function standaloneConfig({ config, secrets, file }: LoadedConfig): LoadedConfig {
  const { notify: _notify, ...others } = config;
  // The report contains everything, so only errors are logged unless another level is configured.
  const log = { level: config.log.level === 'info' ? ('error' as const) : config.log.level };
  return { config: { ...others, log }, secrets, file };
}

function targetOf(path: string): string {
  return basename(resolve(path)) || 'target';
}

/**
 * Returns the report. Throws `ScanError` (`insights-unreachable`) when no look-up succeeded, because the report is then
 * empty.
 */
function requireLookUps(report: ScanReport, { config }: LoadedConfig): ScanReport {
  const { outcomes } = report.verdict.counts;
  if (outcomes.failed === 0 || outcomes.resolved + outcomes.missing + outcomes.uncovered > 0) return report;
  const gap = report.verdict.gaps.find(({ kind }) => kind === 'package');
  throw new ScanError(
    'insights-unreachable',
    `no package could be looked up at ${config.insights.url}: ${gap?.reason ?? 'no answer'}\n` +
      'Check the connection and insights.url. `lockhound parse` needs no network. --local needs none either, but its ' +
      'data covers little more than examples/shop; other packages are reported as uncovered.',
  );
}
