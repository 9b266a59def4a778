import { statSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../config/data-folder.ts';
import { policyOf } from '../config/effective-policy.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { LocalIndex } from '../embedded/insights/local-index.ts';
import type { HttpClient } from '../http/client.ts';
import { createMemoryCache } from '../insights/disk-cache/memory-cache.ts';
import type { InsightsOptions } from '../insights/insights.ts';
import { createLocalBudget } from '../insights/local-budget.ts';
import { lackingSystems } from '../insights/losses/lacking-systems.ts';
import type { InspectionParts } from '../jobs/signals/inspect-now.ts';
import { createLockfileReader } from '../lockfiles/threads/lockfile-reader.ts';
import { COMMAND_INLINE } from '../lockfiles/threads/reading-limits.ts';
import { messageOf } from '../model/errors.ts';
import { type ExploitData, FEEDS, NO_EXPLOIT_DATA } from '../model/exploits/exploit-data.ts';
import type { Cache, Inspections } from '../model/ports/shared-state.ts';
import type { TargetState } from '../model/scan/change.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { type AttemptsOptions, createAttempts, DEFAULT_BACKOFF_MS } from '../scan/attempt.ts';
import type { ScanRequest } from '../scan/read.ts';
import { scanTarget } from '../scan/scan.ts';
import type { Log } from './deferred-log.ts';
import { openInsightsClients, warnOnce } from './insights.ts';
import { offlineClient } from './look-up-cache.ts';
import { lockfileLimits, NO_ROUTING, suppressionsIn } from './ports.ts';

interface ScannerOptions extends Pick<AttemptsOptions, 'signal' | 'onProgress' | 'backoffMs'> {
  /** Called before a step is tried again after `delayMs`. */
  readonly onWait: (delayMs: number, reason: string) => void;
  readonly log: Log;
  /** Answers in place of the configured service. */
  readonly local?: Pick<LocalIndex, 'answer'> | undefined;
  /**
   * The knowledge about inspected packages: those that are new to it are inspected for signs of a compromise. Default:
   * none are.
   */
  readonly inspections?: Inspections | undefined;
  /** Suppressions in addition to those of the configuration. Default: none. */
  readonly suppressions?: readonly Suppression[];
  /** The state with which the first scan is compared. Default: that of a new target. */
  readonly previous?: TargetState | undefined;
  /** The statements of an earlier report about versions. Default: none. */
  readonly stated?: InsightsOptions['stated'];
  /** Answers of earlier look-ups. Default: those of this process. */
  readonly cache?: Cache | undefined;
  /** Requests nothing: what is not in the cache fails. */
  readonly offline?: boolean;
}

/** Scans of one target in this process: no Redis, no queue, no other process. Each is compared with the one before it. */
export async function openScanner(loaded: LoadedConfig, options: ScannerOptions) {
  const { log, backoffMs = DEFAULT_BACKOFF_MS } = options;
  const { config } = loaded;
  const { requestsPerSecond } = config.insights;
  const onContractProblem = warnOnce(log);
  const { clientOf, close } = await openInsightsClients(loaded, {
    http: httpOf(options),
    budget: requestsPerSecond === undefined ? undefined : createLocalBudget(requestsPerSecond),
    backoff: { backoffMs, maxBackoffMs: 4 * backoffMs },
  });
  const cache = watchedCache(options.cache ?? createMemoryCache());
  const insights = clientOf(cache, {
    onContractProblem,
    stated: options.stated,
  });
  // Witnesses say what the service states now, and not what it stated in an earlier run.
  const witnesses = clientOf(createMemoryCache(), { onContractProblem });
  const lockfiles = createLockfileReader({ threads: 2, inline: COMMAND_INLINE });
  const attempts = createAttempts({
    ...options,
    onRetry(reason, delayMs) {
      log.warn({ reason, delayMs }, 'a step of the scan is tried again');
      options.onWait(delayMs, reason);
    },
  });
  const policy = policyOf(config);
  const suppressions = [...(await suppressionsIn(loaded)()), ...(options.suppressions ?? [])];
  const sources = {
    reading: {
      limits: lockfileLimits(loaded),
      read: lockfiles.read,
    },
    insights,
    attempts,
    rules: { routing: NO_ROUTING, policy, suppressions, hasOneTarget: true },
    exploits: await folderExploits(dataFolder(config.data.folder)),
    lackingSystems: async (inventory: Inventory, signal: AbortSignal) =>
      cache.isAddedTo()
        ? await lackingSystems(inventory, witnesses, { signal, hasPast: options.stated !== undefined })
        : [],
    inspect: await openInspections({ inspections: options.inspections, policy, insights, attempts }),
  };
  let { previous } = options;
  return {
    /** Rejects with the reason of the signal, and with the error of a step that failed for good. */
    // Not an async function: it would keep the request, with the contents, until the scan ends.
    scan: (request: ScanRequest): Promise<ScanReport> =>
      scanTarget(request, previous, sources).then(({ report, state }) => {
        previous = state;
        return report;
      }),
    /** The package-insights API, with the cache of the scans. */
    insights,
    /** The policy and the suppressions. */
    rules: sources.rules,
    exploits: sources.exploits,
    async close() {
      await lockfiles.close();
      await close();
    },
  };
}

/** The configuration of a run that shares no state and sends no alerts. */
export function standaloneConfig({ config, ...rest }: LoadedConfig): LoadedConfig {
  const { notify: _notify, ...others } = config;
  // The report contains everything, so only errors are logged unless another level is configured.
  const log = { level: config.log.level === 'info' ? ('error' as const) : config.log.level };
  return { ...rest, config: { ...others, log } };
}

/** The client that answers in place of the network. */
function httpOf({ local, offline }: ScannerOptions): HttpClient | undefined {
  if (local === undefined) return offline === true ? offlineClient() : undefined;
  return createLocalHttp(local);
}

/** A cache that says whether the service answered: what was cached before was judged by the run that looked it up. */
function watchedCache(cache: Cache): Cache & { isAddedTo(): boolean } {
  let isAddedTo = false;
  return {
    getMany: (kind, keys) => cache.getMany(kind, keys),
    async setMany(kind, entries, ttlMs) {
      isAddedTo ||= entries.length > 0;
      await cache.setMany(kind, entries, ttlMs);
    },
    isAddedTo: () => isAddedTo,
  };
}

/** The detectors are loaded only for scans that inspect: they take as long to load as a small scan to run. */
async function openInspections({
  inspections,
  ...parts
}: Omit<InspectionParts, 'inspections'> & Pick<ScannerOptions, 'inspections'>) {
  if (inspections === undefined) return undefined;
  const { inspectNow } = await import('../jobs/signals/inspect-now.ts');
  return inspectNow({ inspections, ...parts });
}

/**
 * The imported lists about exploitation in a folder, for runs without Redis. What cannot be read is a gap of the scan. Most machines have no
 * such lists: nothing is loaded for them.
 */
async function folderExploits(folder: string): Promise<ExploitData> {
  const isAbsent = (feed: string) =>
    statSync(join(folder, `${feed}.list`), { throwIfNoEntry: false }) === undefined;
  try {
    if (FEEDS.every(isAbsent)) return NO_EXPLOIT_DATA;
    const { readFolder } = await import('../exploits/folder.ts');
    const { exploitData } = await import('../exploits/feed.ts');
    return exploitData(await readFolder(folder));
  } catch (error) {
    return { ...NO_EXPLOIT_DATA, fault: messageOf(error) };
  }
}

/** An HTTP client whose answers come from an index in this process, with the content that the local service sends. */
function createLocalHttp({ answer }: Pick<LocalIndex, 'answer'>): HttpClient {
  return {
    async send({ method, url, body, signal }) {
      signal?.throwIfAborted();
      const { pathname, search } = new URL(url);
      const answered = answer({ method, url: pathname + search, body: body?.toString() });
      return { ...answered, body: Buffer.from(answered.body) };
    },
    close: async () => {},
  };
}
