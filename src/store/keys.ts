/*
 * One shard (the default): every key has the same hash tag, so that scripts may join all of them.
 *
 * Several shards:
 * - Each has a tag of its own with the number of all shards (`{lockhound-4-0}`) for everything about its targets: queues, open jobs,
 *   lanes, outcomes, states, scans, deliveries, digests, rejected payloads, the change log, cached records. Scripts join these keys.
 * - So do package ids, inventories and facts: id lists hold the ids of their shard, and the script that learns a fact lists it for
 *   the targets of its shard. A package version that targets of several shards lock is stored and looked up once for each.
 * - What is about no target has the tag of the prefix itself (`{lockhound}`, `sharedKeys`): the number of shards and the running
 *   workers, suppressions, assignments, scorecards, seen versions, locks, request budgets, applied objects, stopped routes.
 * - Contents of lockfiles have no tag (`lockhound:blob:…`): each is read and written alone, and equal contents are stored once.
 *
 * No key of a number of shards is one of another number, except for those that all share: a move copies, and then deletes.
 */

/** Default prefix of every key; the braces keep all keys in one slot of a cluster, so that scripts may join them. */
export const DEFAULT_PREFIX = '{lockhound}';

/** A shard: one part of the targets, with its own keys. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  /** Number of all shards (`redis.shards`). */
  readonly count: number;
}

export const ONLY_SHARD: Shard = { index: 0, count: 1 };

/** All Redis keys except those of BullMQ, which start with `<prefix>:<job name>:`. */
export type Keys = ReturnType<typeof createKeys>;

/** Keys of one shard under a prefix. One without a hash tag gets one, because a script uses several keys. */
export function createKeys(prefix: string = DEFAULT_PREFIX, { index, count }: Shard = ONLY_SHARD) {
  const shared = tagPrefix(prefix);
  const tagged = count === 1 ? shared : shared.replace('}', `-${count}-${index}}`);
  const blobs = count === 1 ? shared : shared.replaceAll(/[{}]/g, '');
  return {
    ...sharedKeys(shared),
    ...shardKeys(tagged),
    /** Lockfile content under its SHA-256 (hex). */
    blob: (sha256: string) => `${blobs}:blob:${sha256}`,
  };
}

/** Whether a key is one of those that all shards share. */
export function isSharedKey(prefix: string, key: string): boolean {
  return Object.values(sharedKeys(tagPrefix(prefix))).some((own) =>
    key.startsWith(typeof own === 'string' ? own : own('' as never)),
  );
}

/** The keys that are the same for any number of shards. */
function sharedKeys(shared: string) {
  return {
    /** The number of shards, and a change of it that is under way. */
    shardLayout: `${shared}:shards`,
    /** Running workers by the time until which they count as running (sorted set). */
    workers: `${shared}:workers`,
    /** Hash of what workers say about themselves, by worker. */
    workerRecords: `${shared}:workers:records`,
    /** One bucket of the set of versions that the index was seen to have. */
    seen: (bucket: number) => `${shared}:seen:${bucket}`,
    /** One bucket of the set of subjects that were inspected. */
    inspected: (bucket: number) => `${shared}:inspected:${bucket}`,
    lock: (name: string) => `${shared}:lock:${name}`,
    /** When the next request of a shared budget is due. */
    budget: (name: string) => `${shared}:budget:${name}`,
    /** The answer to a write with an idempotency key. */
    apiAnswer: (hash: string) => `${shared}:api-answer:${hash}`,
    /** Tokens of the API by id, when each was used last (hashes), and the session with this hash. */
    apiTokens: `${shared}:api-tokens`,
    apiTokenUses: `${shared}:api-tokens:used`,
    apiSession: (hash: string) => `${shared}:api-session:${hash}`,
    /** Suppressions that commands added, by id, and the number of changes of them. */
    suppressions: `${shared}:suppressions`,
    suppressionRevision: `${shared}:suppressions:revision`,
    /** The revision with which each of them changed last (hash). */
    suppressionRevisions: `${shared}:suppressions:revisions`,
    /** Who works on which issue, by its id (hash). */
    assignments: `${shared}:assignments`,
    /** Hash of what was applied to an account of the webhook-integration API, by kind and name. */
    applied: (account: string) => `${shared}:applied:${account}`,
    stoppedRoutes: `${shared}:stopped-routes`,
    /** How often each route was resumed (hash). */
    resumptions: `${shared}:stopped-routes:resumptions`,
    /** Scorecards of source projects (hash), and their order by time. */
    projects: `${shared}:projects`,
    projectOrder: `${shared}:projects:order`,
    /** Hash of the counts of the fleet by day. */
    dayCounts: `${shared}:fleet:days`,
    /** Hash of the published lists about exploitation: the head of each under its name, its entries under `<name>:entries`. */
    exploits: `${shared}:exploits`,
    /** Advisories that changed since they were imported (hash), the number of their changes, and how far each list was read (hash). */
    advisoryRecords: `${shared}:advisories`,
    advisoryRevision: `${shared}:advisories:revision`,
    advisoryFeeds: `${shared}:advisories:feeds`,
    /** Packages and advisories that changed (sorted set by time). */
    listedAdvisories: `${shared}:advisories:listed`,
  };
}

export type ShardKeys = ReturnType<typeof shardKeys>;

function shardKeys(tagged: string) {
  return {
    prefix: tagged,
    outcome: (job: string, key: string) => `${tagged}:outcome:${job}:${key}`,
    /** The value of an outcome that is spent. */
    spentOutcome: (job: string, key: string) => `${tagged}:spent:${job}:${key}`,
    /** Hash of what is requested under the id of a scan. */
    requestedScan: (scan: string) => `${tagged}:request:${scan}`,
    /** Records of scans by their id, and their order by time. */
    scans: `${tagged}:scans`,
    scanOrder: `${tagged}:scans:order`,
    target: (id: string) => `${tagged}:target:${id}`,
    /** Set of the ids of all targets with a state. */
    targets: `${tagged}:targets`,
    /** Ids of the targets with a state by the time of its last change (sorted set). */
    touchedTargets: `${tagged}:targets:touched`,
    /** Set of the ids of targets whose last scan could not see everything. */
    incompleteTargets: `${tagged}:targets:incomplete`,
    /** Ids of targets by the time, in ms, when they are judged again although nothing changed (sorted set). */
    dueTargets: `${tagged}:targets:due`,
    cache: (kind: string, key: string) => `${tagged}:cache:${kind}:${key}`,
    /** Written to check that Redis accepts writes. */
    probe: `${tagged}:probe`,
    /** Work that one worker, or one refresh of the fleet, does for the shard. */
    claim: (name: string) => `${tagged}:lock:${name}`,
    /** Hash of the jobs that are neither done nor failed permanently, by id. */
    openJobs: `${tagged}:open-jobs`,
    /** List of job ids that run one after another. */
    lane: (name: string) => `${tagged}:lane:${name}`,
    /** Entries that wait for a periodic digest, by scan; and all routes that had entries. */
    digest: (route: string) => `${tagged}:digest:${route}`,
    digestRoutes: `${tagged}:digest-routes`,
    /** A delivery's record, and its attempts. */
    delivery: (id: string) => `${tagged}:delivery:${id}`,
    deliveryAttempts: (id: string) => `${tagged}:delivery:${id}:attempts`,
    deliveryNotification: (id: string) => `${tagged}:delivery:${id}:notification`,
    /** List of the ids of a target's deliveries, the newest first. */
    targetDeliveries: (target: string) => `${tagged}:deliveries-of:${target}`,
    /** Ids of deliveries by the time of their last change. */
    openDeliveries: `${tagged}:deliveries:open`,
    failedDeliveries: `${tagged}:deliveries:failed`,
    delivered: `${tagged}:deliveries:delivered`,
    /** Rejected payloads by `<job>/<job id>`, and their order by time. */
    rejected: `${tagged}:rejected`,
    rejectedOrder: `${tagged}:rejected:order`,
    /** The fleet: ids of packages by identity, identities by id (hashes), and the last id. */
    packageIds: `${tagged}:fleet:package-ids`,
    packageNames: `${tagged}:fleet:package-names`,
    lastPackageId: `${tagged}:fleet:last-package-id`,
    /** Minutes by the last package id that they gave out (sorted set). */
    packageTimes: `${tagged}:fleet:package-times`,
    /** Hash of id lists by the key of their inventory; one of 256. */
    idLists: (bucket: number) => `${tagged}:fleet:id-lists:${bucket}`,
    /** The inventory of a lockfile without its ids. */
    lockfileInventory: (hash: string) => `${tagged}:fleet:inventory:${hash}`,
    /** Hash: how many targets have an inventory. */
    inventoryUses: `${tagged}:fleet:inventory-uses`,
    /** Hash of all targets in short, by id. */
    targetSummaries: `${tagged}:fleet:targets`,
    /** Open alerts by the hash of their content, and the hashes of those of each target (hashes). */
    openAlerts: `${tagged}:fleet:alerts`,
    alertsOfTargets: `${tagged}:fleet:alerts-of-targets`,
    /** Facts of one kind and when each was checked (hashes); sorted sets of keys: changed, without selected targets, new. */
    facts: (kind: string) => ({
      facts: `${tagged}:facts:${kind}`,
      /** Subjects by the time of the last answer about them (sorted set). */
      answered: `${tagged}:facts:${kind}:answered`,
      /** Subjects that were never answered, by the time of the first look-up (sorted set). */
      unanswered: `${tagged}:facts:${kind}:unanswered`,
      /** The last look-up that was not answered. */
      failure: `${tagged}:facts:${kind}:failure`,
      changed: `${tagged}:facts:${kind}:changed`,
      pending: `${tagged}:facts:${kind}:pending`,
      young: `${tagged}:facts:${kind}:young`,
      /** Changes with each write that replaces or removes a fact. */
      revision: `${tagged}:facts:${kind}:revision`,
      /** Inspections of package versions (hash), and those that are repeated by the time of the last one (sorted set). */
      inspections: `${tagged}:facts:${kind}:inspections`,
      /** Changes with each write of inspections. */
      inspectionRevision: `${tagged}:facts:${kind}:inspection-revision`,
      inspectedAgain: `${tagged}:facts:${kind}:inspected-again`,
      /** The last facts that were replaced, each with the revision (list, newest first). */
      replaced: `${tagged}:facts:${kind}:replaced`,
    }),
    /** Hash of the settings by which the targets were judged. */
    judgedSettings: `${tagged}:fleet:settings`,
    /** The routes that these settings have. */
    judgedRouting: `${tagged}:fleet:routing`,
    /** Revision of the suppressions by which the targets were judged. */
    judgedSuppressions: `${tagged}:fleet:suppressions`,
    /** Hash of the last refresh of the fleet by cadence. */
    refreshes: `${tagged}:fleet:refreshes`,
    /** List of what the scans of a target changed, in blocks; and a part of the heads of these lists by target (hash). */
    ledger: (target: string) => `${tagged}:ledger:${target}`,
    ledgerHeads: (part: number, group: number) => `${tagged}:fleet:ledger-heads:${part}:${group}`,
    /** Objects of the ledger storage that no ledger refers to, by name: since when, in ms; 0 for those that may be removed at once (hash). */
    unusedObjects: `${tagged}:fleet:unused-objects`,
    /** How the last pass ended that moved ledgers to the storage (hash). */
    ledgerArchive: `${tagged}:fleet:ledger-archive`,
    /** Stream of the changes of all targets. */
    changes: `${tagged}:changes`,
    /** Schedules by name. */
    schedules: `${tagged}:schedules`,
    /** Hashes of a schedule: runs by id, counts of endings by run, targets that the current run has not read yet. */
    scheduleRuns: (schedule: string) => `${tagged}:schedule:${schedule}:runs`,
    scheduleCounts: (schedule: string) => `${tagged}:schedule:${schedule}:counts`,
    openTargets: (schedule: string) => `${tagged}:schedule:${schedule}:open`,
    /** Hashes of a schedule, by target: the last reading, and what was read. */
    watchedTargets: (schedule: string) => `${tagged}:schedule:${schedule}:targets`,
    sourceReadings: (schedule: string) => `${tagged}:schedule:${schedule}:readings`,
    /** Set of schedules with a target whose source cannot be read. */
    failingTargets: `${tagged}:failing-targets`,
  };
}

/** `lockhound` → `{lockhound}`; a prefix that has a hash tag is not changed. */
function tagPrefix(prefix: string): string {
  return /\{[^{}]+\}/.test(prefix) ? prefix : `{${prefix}}`;
}
