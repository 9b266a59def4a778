import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { INGEST_LOCKFILES } from '../jobs/payloads/ingest-lockfiles.ts';
import { judgeTarget } from '../jobs/refresh/judge-target.ts';
import { selectTargets } from '../jobs/refresh/select-targets.ts';
import { messageOf } from '../model/errors.ts';
import type { ObjectStorage } from '../model/ports/object-storage.ts';
import type { RequestBudget } from '../model/ports/shared-state.ts';
import type { RequestClaim } from '../model/queue/open-job.ts';
import { CACHED_ADVISORY, CACHED_VERSION } from '../model/stored/catalog.ts';
import { hasLabels } from '../model/wildcard.ts';
import { createAdvisoryChanges } from '../store/advisory-changes.ts';
import { createAppliedObjects } from '../store/alerts/applied-objects.ts';
import { createDeliveryStore } from '../store/alerts/deliveries.ts';
import { createDigestStore } from '../store/alerts/digests.ts';
import { createApiAnswerStore } from '../store/api-answers.ts';
import { createApiTokenStore } from '../store/api-tokens.ts';
import { createAssignments } from '../store/assignments.ts';
import { createBlobStore } from '../store/blobs.ts';
import type { StoreError } from '../store/errors.ts';
import { createExploitStore } from '../store/exploits.ts';
import { createCache } from '../store/facts/cache.ts';
import { createFactStore } from '../store/facts/facts.ts';
import { createInspections } from '../store/facts/inspections.ts';
import { createSeenVersions } from '../store/facts/seen-versions.ts';
import { createChangeLog } from '../store/fleet/change-log.ts';
import { createFleet } from '../store/fleet/fleet.ts';
import { createDayCounts, createFleetCounts } from '../store/fleet/fleet-counts.ts';
import { createTargetRemoval } from '../store/fleet/forget-target.ts';
import { createGarbageCollection } from '../store/fleet/garbage.ts';
import { createInventories } from '../store/fleet/inventories.ts';
import { createLedger } from '../store/fleet/ledger.ts';
import { createLedgerArchive, lastArchive } from '../store/fleet/ledger-archive.ts';
import { createLedgerImport } from '../store/fleet/ledger-import.ts';
import { createOpenAlerts } from '../store/fleet/open-alerts.ts';
import { createPackageIds } from '../store/fleet/package-ids.ts';
import { createTargetSummaries } from '../store/fleet/target-summaries.ts';
import { createKeys, type Keys, type Shard } from '../store/keys.ts';
import { createClaim, createLock } from '../store/lock.ts';
import { createOpenJobStore } from '../store/outcomes/open-jobs.ts';
import { createOutcomeStore } from '../store/outcomes/outcomes.ts';
import { claimRelease, claimRequest } from '../store/outcomes/request-claims.ts';
import { createQueueDepths } from '../store/queue-depths.ts';
import type { ConnectOptions, RedisClient } from '../store/redis/connection.ts';
import { createWriteProbe } from '../store/redis/write-probe.ts';
import { createRejectedStore } from '../store/rejected.ts';
import { createRequestBudget } from '../store/request-budget.ts';
import { createScanStore } from '../store/scans.ts';
import { createScheduleStore } from '../store/schedules.ts';
import { createShardLayouts, type ShardLayouts, shardOf } from '../store/shards/shard-layout.ts';
import { createSuppressionStore } from '../store/suppressions.ts';
import { createTargetStore } from '../store/targets.ts';
import { createWorkerRecords, type WorkerRecords } from '../store/worker-records.ts';
import { logThrottled } from '../workers/throttled-log.ts';
import { openLedgerStorage } from './ledger-storage.ts';
import { type Connection, openConnection } from './redis-connection.ts';

/** Work continues without the cache: each kind of failure is logged once a minute. */
function logCacheFailure(log: Logger): (error: unknown) => void {
  const logError = logThrottled(log, 'the cache of package records cannot be read or written');
  return (error) => logError(error instanceof Error ? error : new Error(messageOf(error)));
}

/** The stores of one shard in Redis, and the connection that all shards share. */
export type Store = ReturnType<typeof createStore>;

export interface Stores {
  /** The shards by their index. */
  readonly shards: readonly Store[];
  of(target: string): Store;
  readonly layouts: ShardLayouts;
  readonly workers: WorkerRecords;
  /** Has old blocks of ledgers, where it is configured. */
  readonly storage: ObjectStorage | undefined;
  close(): Promise<void>;
}

/**
 * Connects to the configured Redis or Valkey, or starts the embedded engine when none is configured.
 * Throws `StoreError` when Redis does not answer and `EmbeddedError` when the engine does not start.
 */
export async function openStores(
  loaded: LoadedConfig,
  log: Logger,
  options: Pick<ConnectOptions, 'refused' | 'timeoutMs' | 'waiting'> = {},
): Promise<Stores> {
  const { config } = loaded;
  const { shards: count } = config.redis;
  const connection = await openConnection(loaded, log, options);
  const unreadable = createUnreadable(log);
  const storage = openLedgerStorage(loaded);
  const close = async () => void (await Promise.all([connection.close(), storage?.close()]));
  const shards = Array.from({ length: count }, (_, index) =>
    createStore(loaded, {
      connection: { ...connection, close },
      unreadable,
      storage,
      shard: { index, count },
      log,
    }),
  );
  return {
    shards,
    of: (target) => shards[shardOf(target, count)] as Store,
    layouts: (shards[0] as Store).layouts,
    workers: (shards[0] as Store).workers,
    storage,
    close,
  };
}

/** The stores of the first shard, which are those of all targets unless `redis.shards` is set. */
export async function openStore(
  loaded: LoadedConfig,
  log: Logger,
  options: Pick<ConnectOptions, 'refused' | 'timeoutMs' | 'waiting'> = {},
): Promise<Store> {
  const { shards } = await openStores(loaded, log, options);
  return shards[0] as Store;
}

/** Collects and logs stored values that cannot be read, each once. */
function createUnreadable(log: Logger) {
  const messages = new Set<string>();
  return {
    messages,
    add({ message }: StoreError): void {
      if (!messages.has(message)) log.error(message);
      messages.add(message);
    },
  };
}

interface StoreParts {
  readonly connection: Connection;
  readonly unreadable: ReturnType<typeof createUnreadable>;
  readonly storage: ObjectStorage | undefined;
  readonly shard: Shard;
  readonly log: Logger;
}

function createStore({ config }: LoadedConfig, { connection, unreadable, storage, shard, log }: StoreParts) {
  const { redis } = connection;
  const onUnreadable = unreadable.add;
  const keys = createKeys(config.redis.prefix, shard);
  const freshness = { recordTtlMs: config.insights.recordTtl, missTtlMs: config.insights.missTtl };
  const packageIds = createPackageIds(redis, keys);
  const inventories = createInventories(redis, keys, packageIds);
  const targetSummaries = createTargetSummaries(redis, keys);
  const openAlerts = createOpenAlerts(redis, keys);
  const ledger = createLedger(redis, keys, storage);
  const facts = {
    versions: createFactStore(redis, keys, CACHED_VERSION, {
      ...freshness,
      publishedAt: ({ publishedAt }) => (publishedAt === undefined ? undefined : Date.parse(publishedAt)),
      onUnreadable,
    }),
    advisories: createFactStore(redis, keys, CACHED_ADVISORY, { ...freshness, onUnreadable }),
  };
  const advisoryChanges = createAdvisoryChanges(redis, keys, onUnreadable);
  const { listedSince } = advisoryChanges;
  const fleet = createFleet(redis, keys, { packageIds, inventories, facts, listedSince, onUnreadable });
  const suppressions = createSuppressionStore(redis, keys, onUnreadable);
  return {
    ...connection,
    shard,
    prefix: keys.prefix,
    blobs: createBlobStore(redis, keys, {
      ttlMs: config.lockfiles.retention,
      maxBytes: config.lockfiles.maxBytes,
    }),
    outcomes: createOutcomeStore(redis, keys, {
      ttlMs: config.worker.retention,
      deliveredTtlMs: config.notify?.history.retention,
      inventories,
      keepMs: ledgerKeep(config),
      storage,
    }),
    packageIds,
    inventories,
    targetSummaries,
    ledger,
    importedLedger: createLedgerImport(redis, keys, inventories, { keepMs: ledgerKeep(config), storage }),
    /** `undefined` without `ledger.storage`. */
    archiveLedgers:
      storage && createLedgerArchive(redis, keys, { storage, afterMs: config.ledger.storage?.after ?? 0 }),
    lastArchive: async () => storage && (await lastArchive(redis, keys)),
    collectGarbage: createGarbageCollection(redis, keys, {
      ledger,
      openAlerts,
      packageIds,
      inventories,
      facts,
      recordTtlMs: config.insights.recordTtl,
    }),
    /** Throws `StoreError` (`scan-exists`). */
    claimRequest: (claim: RequestClaim) => claimRequest(redis, keys, claim),
    /** Throws `StoreError` (`release-exists`). */
    claimRelease: (claim: Parameters<typeof claimRelease>[2]) => claimRelease(redis, keys, claim),
    forgetTarget: createTargetRemoval(redis, keys, targetSummaries, storage),
    openAlerts,
    changeLog: createChangeLog(redis, keys),
    /** The knowledge of the fleet about package versions and advisories. */
    facts,
    fleet: {
      ...fleet,
      // BullMQ's list of the jobs that no worker has claimed.
      waitingScans: () => redis.llen(`${keys.prefix}:${INGEST_LOCKFILES.name}:wait`),
      openAlerts: async () => [...(await openAlerts.alerts()).values()],
      unjudgedTargets: () => countUnfinished(redis, keys.prefix, [selectTargets, judgeTarget]),
      async changedSuppressions() {
        const changed = await suppressions.changedSince(await fleet.judgedSuppressions());
        return changed.map(({ suppression }) => suppression);
      },
    },
    targets: createTargetStore(redis, keys),
    digests: createDigestStore(redis, keys, onUnreadable),
    scans: createScanStore(redis, keys, { onUnreadable }),
    cache: createCache(redis, keys, { onProblem: logCacheFailure(log) }),
    seen: createSeenVersions(redis, keys),
    inspections: createInspections(redis, keys, onUnreadable),
    // The lock of a worker that died expires as soon as the locks of its jobs do.
    lock: createLock(redis, keys, { ttlMs: config.worker.lockDuration }),
    /** Stored values that this process could not read: key, reason and what to do. The others are used without them. */
    unreadable: unreadable.messages,
    /** Why Redis does not accept a write within so many milliseconds; `undefined` when it does. */
    probeWrite: createWriteProbe(redis, keys),
    claim: createClaim(redis, keys),
    applied: createAppliedObjects(redis, keys, onUnreadable),
    apiAnswers: createApiAnswerStore(redis, keys),
    apiTokens: createApiTokenStore(redis, keys, onUnreadable),
    rejected: createRejectedStore(redis, keys, onUnreadable),
    schedules: createScheduleStore(redis, keys, onUnreadable),
    suppressions,
    assignments: createAssignments(redis, keys, onUnreadable),
    exploits: createExploitStore(redis, keys),
    advisoryChanges,
    /** `undefined` when no limit is configured. */
    insightsBudget: budgetOf(redis, keys, config.insights.requestsPerSecond),
    layouts: createShardLayouts(redis, config.redis.prefix),
    workers: createWorkerRecords(redis, config.redis.prefix, onUnreadable),
    queueDepths: createQueueDepths(redis, keys),
    fleetCounts: createFleetCounts(redis, keys),
    dayCounts: createDayCounts(redis, keys, onUnreadable),
    openJobs: createOpenJobStore(redis, keys, onUnreadable),
    deliveries: createDeliveryStore(redis, keys, {
      retentionMs: config.notify?.history.retention,
      keptAttempts: config.notify?.history.attempts,
      onUnreadable,
    }),
  };
}

/** Jobs that wait, run or are retried later, in the lists of BullMQ. */
async function countUnfinished(
  redis: RedisClient,
  prefix: string,
  jobs: readonly { readonly name: string }[],
): Promise<number> {
  const counts = await Promise.all(
    jobs.flatMap(({ name }) => [
      redis.llen(`${prefix}:${name}:wait`),
      redis.llen(`${prefix}:${name}:active`),
      redis.zcard(`${prefix}:${name}:delayed`),
    ]),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function budgetOf(redis: RedisClient, keys: Keys, perSecond: number | undefined): RequestBudget | undefined {
  return perSecond === undefined
    ? undefined
    : createRequestBudget(redis, keys, { name: 'insights', perSecond });
}

/** Returns how long the ledger of a target with some labels is kept, in ms; 0: it has none. */
export function ledgerKeep({
  ledger,
}: Pick<Config, 'ledger'>): (labels: Readonly<Record<string, string>>) => number {
  return (labels) => ledger.byLabel.findLast((entry) => hasLabels(labels, entry.labels))?.keep ?? ledger.keep;
}
