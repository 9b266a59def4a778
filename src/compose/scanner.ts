import { dataFolder } from '../config/data-folder.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { LocalIndex } from '../embedded/insights/local-index.ts';
import type { HttpClient } from '../http/client.ts';
import type { Log } from '../in-process/job-attempts.ts';
import { createMemory, type Memory } from '../in-process/memory.ts';
import { createRunner } from '../in-process/runner.ts';
import type { InsightsOptions } from '../insights/insights.ts';
import { createLocalBudget } from '../insights/local-budget.ts';
import { collectAdvisories } from '../jobs/collect-advisories.ts';
import { sealEnvelope } from '../jobs/envelope.ts';
import { expandDependencies } from '../jobs/expand-dependencies.ts';
import { findBaseImage } from '../jobs/find-base-image.ts';
import { followUp } from '../jobs/follow-up.ts';
import { ingestLockfiles } from '../jobs/ingest-lockfiles.ts';
import type { AnyJob, JobLimits } from '../jobs/job.ts';
import { judgeScan } from '../jobs/judge-scan.ts';
import { FIND_BASE_IMAGE } from '../jobs/payloads/find-base-image.ts';
import { INGEST_LOCKFILES, type IngestLockfiles } from '../jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../jobs/payloads/judge-scan.ts';
import type { NotifierPort } from '../jobs/ports.ts';
import { scanPayload } from '../jobs/scan-request.ts';
import { createLockfileReader } from '../lockfiles/threads/lockfile-reader.ts';
import { COMMAND_INLINE } from '../lockfiles/threads/reading-limits.ts';
import type { Routing } from '../model/alert/routing.ts';
import { imageScanOf } from '../model/image/image-scan.ts';
import type { Cache } from '../model/ports/cache.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { INVENTORY, VERDICT } from '../model/stored/catalog.ts';
import type { ScanRequest } from '../scan/request.ts';
import { withImage } from '../scan/with-image.ts';
import type { WorkerEvent } from '../workers/events.ts';
import { folderExploits } from './facts/folder-exploits.ts';
import { offlineClient } from './facts/look-up-cache.ts';
import { openInsights } from './insights.ts';
import { createPorts, NO_CONTRACTS, NO_NOTIFIER, NO_REUSE, suppressionsIn } from './ports.ts';
import { warnOnce } from './warn-once.ts';

export interface ScannerOptions {
  readonly log: Log;
  /** Ends the scans. */
  readonly signal: AbortSignal;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly limits?: Partial<JobLimits>;
  /** Answers in place of the configured service. */
  readonly local?: Pick<LocalIndex, 'answer'> | undefined;
  /** Without it changes are part of the report and nothing is sent. */
  readonly notifier?: { readonly port: NotifierPort; readonly routing: Routing };
  /** Whether the packages are inspected for signs of a compromise. */
  readonly inspects?: boolean;
  /** Suppressions in addition to those of the configuration. Default: none. */
  readonly suppressions?: readonly Suppression[];
  /** State of earlier scans. Default: empty. */
  readonly memory?: Memory;
  /** What an earlier report says of versions. Default: nothing. */
  readonly stated?: InsightsOptions['stated'];
  /** Answers of earlier look-ups. Default: those of this process. */
  readonly cache?: Cache | undefined;
  /** Requests nothing: what is not in the cache fails. */
  readonly offline?: boolean;
}

/** What a scan consists of that inspects and sends nothing. The other jobs take as long to load as a small scan to run. */
const SCAN_JOBS: readonly AnyJob[] = [
  ingestLockfiles,
  collectAdvisories,
  expandDependencies,
  judgeScan,
  findBaseImage,
];

/** The jobs of a scan in this process: no Redis, no queue, no other process. */
export async function openScanner(loaded: LoadedConfig, options: ScannerOptions) {
  const { notifier, local, inspects = false, memory = createMemory(), offline, ...others } = options;
  const { cache = memory.cache } = options;
  const { suppressions: added = [] } = options;
  const configured = suppressionsIn(loaded);
  const { requestsPerSecond } = loaded.config.insights;
  const insights = await openInsights(loaded, cache, {
    onContractProblem: warnOnce(options.log),
    seen: memory.seen,
    stated: options.stated,
    http: local !== undefined ? createLocalHttp(local) : offline === true ? offlineClient() : undefined,
    budget: requestsPerSecond === undefined ? undefined : createLocalBudget(requestsPerSecond),
    backoff: others.limits,
  });
  const lockfiles = createLockfileReader({ threads: 2, inline: COMMAND_INLINE });
  const contents = createContents(memory);
  const run = createRunner({
    ...others,
    onEvent(event) {
      contents.onEvent(event);
      others.onEvent?.(event);
    },
    jobs: notifier === undefined && !inspects ? SCAN_JOBS : (await import('../jobs/catalog.ts')).JOBS,
    outcomes: memory.outcomes,
    ports: createPorts(loaded, memory, insights, {
      notifier: notifier?.port ?? NO_NOTIFIER,
      contracts: NO_CONTRACTS,
      lockfiles,
      reuse: NO_REUSE,
      exploits: folderExploits(dataFolder(loaded.config.data.folder), options.log),
      keepsArtifacts: true,
      hasOneTarget: true,
      inspects: inspects ? 'before-judging' : 'never',
      suppressions: async () => [...(await configured()), ...added],
      routing: notifier?.routing,
    }),
  });
  async function runScan(payload: IngestLockfiles): Promise<ScanReport | undefined> {
    if (!hasPlainTarget(payload) || payload.image !== undefined) sealEnvelope(INGEST_LOCKFILES, payload);
    await run(followUp(INGEST_LOCKFILES, payload));
    return await readReport(memory, payload.scan);
  }
  return {
    /**
     * Resolves when the scan and all its follow-ups have ended. Resolves to `undefined` when the scan failed and has no
     * report; an event then contains the reason. Rejects with the signal's reason, and with `EnvelopeError`
     * (`invalid-payload`) for an invalid request.
     */
    // Not an async function: it would keep the request, with the contents, until the scan ends.
    scan: (request: ScanRequest) => contents.store(request).then(runScan),
    /** The package-insights API, with the cache of the scans. */
    insights: insights.insights,
    async close() {
      await lockfiles.close();
      await insights.close();
    },
  };
}

/**
 * Targets of nearly all scans, which are valid. The lockfiles were found by this process; any other target is checked against
 * the schema of the payload, which takes longer to build than a small scan.
 */
function hasPlainTarget({ target: { id, labels } }: IngestLockfiles): boolean {
  return /^[\x20-\x7e]{1,200}$/.test(id) && Object.keys(labels).length === 0;
}

/** The contents of scans, each stored until its lockfiles are read. */
function createContents({ blobs }: Memory) {
  const hashes = new Map<string, readonly string[]>();
  return {
    async store(request: ScanRequest): Promise<IngestLockfiles> {
      const stored: string[] = [];
      const payload = await scanPayload(request, async (content) => {
        const reference = await blobs.put(content);
        stored.push(reference.sha256);
        return reference;
      });
      hashes.set(payload.scan, [...(hashes.get(payload.scan) ?? []), ...stored]);
      return payload;
    },
    onEvent({ job, key, kind }: WorkerEvent): void {
      if (job !== INGEST_LOCKFILES.name || (kind !== 'finished' && kind !== 'failed')) return;
      for (const sha256 of hashes.get(key) ?? []) blobs.release(sha256);
      hashes.delete(key);
    },
  };
}

async function readReport({ outcomes }: Memory, scan: string): Promise<ScanReport | undefined> {
  const inventory = await outcomes.readResult(INVENTORY, INGEST_LOCKFILES.name, scan);
  const read = async (job: string, key: string) =>
    (await outcomes.readResult(VERDICT, job, key)) ?? undefined;
  const judged = await read(JUDGE_SCAN.name, scan);
  const verdict =
    judged === undefined
      ? await read(FIND_BASE_IMAGE.name, scan)
      : withImage(judged, await read(FIND_BASE_IMAGE.name, imageScanOf(scan)));
  return inventory == null || verdict === undefined ? undefined : { inventory, verdict };
}

/** An HTTP client whose answers come from an index in this process, with the content that the local service sends. */
function createLocalHttp(index: Pick<LocalIndex, 'answer'>): HttpClient {
  return {
    async send({ method, url, body, signal }) {
      signal?.throwIfAborted();
      const { pathname, search } = new URL(url);
      const answer = index.answer({ method, url: pathname + search, body: body?.toString() });
      return { ...answer, body: Buffer.from(answer.body) };
    },
    close: async () => {},
  };
}
