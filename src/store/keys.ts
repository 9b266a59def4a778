/** Default prefix of every key; the braces keep all keys in one slot of a cluster, so that scripts may join them. */
export const DEFAULT_PREFIX = '{lockhound}';

/** All Redis keys except those of BullMQ, which start with `<prefix>:<job name>:`. */
export interface Keys {
  readonly prefix: string;
  /** Lockfile content under its SHA-256 (hex). */
  blob(sha256: string): string;
  outcome(job: string, key: string): string;
  /** The value of an outcome that is spent. */
  spentOutcome(job: string, key: string): string;
  /** Records of scans by their id, and their order by time. */
  readonly scans: string;
  readonly scanOrder: string;
  target(id: string): string;
  /** Set of the ids of all targets with a state. */
  readonly targets: string;
  /** Set of the ids of targets whose last scan could not see everything. */
  readonly incompleteTargets: string;
  cache(kind: string, key: string): string;
  /** One bucket of the set of versions that the index was seen to have. */
  seen(bucket: number): string;
  lock(name: string): string;
  /** Written to check that Redis accepts writes. */
  readonly probe: string;
  /** When the next request of a shared budget is due. */
  budget(name: string): string;
  /** Hash of what was applied to an account of the webhook-integration API, by kind and name. */
  applied(account: string): string;
  /** Hash of the jobs that are neither done nor failed permanently, by id. */
  readonly openJobs: string;
  /** List of job ids that run one after another. */
  lane(name: string): string;
  /** Entries that wait for a periodic digest, by scan; and all routes that had entries. */
  digest(route: string): string;
  readonly digestRoutes: string;
  /** A delivery's record, and its attempts. */
  delivery(id: string): string;
  deliveryAttempts(id: string): string;
  deliveryNotification(id: string): string;
  /** Ids of deliveries by the time of their last change. */
  readonly openDeliveries: string;
  readonly failedDeliveries: string;
  readonly delivered: string;
  readonly stoppedRoutes: string;
  /** Rejected payloads by `<job>/<job id>`, and their order by time. */
  readonly rejected: string;
  readonly rejectedOrder: string;
}

/** Keys under a prefix. One without a hash tag gets one, because a script uses several keys. */
export function createKeys(prefix: string = DEFAULT_PREFIX): Keys {
  const tagged = tagPrefix(prefix);
  return {
    prefix: tagged,
    blob: (sha256) => `${tagged}:blob:${sha256}`,
    outcome: (job, key) => `${tagged}:outcome:${job}:${key}`,
    spentOutcome: (job, key) => `${tagged}:spent:${job}:${key}`,
    scans: `${tagged}:scans`,
    scanOrder: `${tagged}:scans:order`,
    target: (id) => `${tagged}:target:${id}`,
    targets: `${tagged}:targets`,
    incompleteTargets: `${tagged}:targets:incomplete`,
    cache: (kind, key) => `${tagged}:cache:${kind}:${key}`,
    probe: `${tagged}:probe`,
    seen: (bucket) => `${tagged}:seen:${bucket}`,
    lock: (name) => `${tagged}:lock:${name}`,
    budget: (name) => `${tagged}:budget:${name}`,
    applied: (account) => `${tagged}:applied:${account}`,
    openJobs: `${tagged}:open-jobs`,
    lane: (name) => `${tagged}:lane:${name}`,
    digest: (route) => `${tagged}:digest:${route}`,
    digestRoutes: `${tagged}:digest-routes`,
    delivery: (id) => `${tagged}:delivery:${id}`,
    deliveryAttempts: (id) => `${tagged}:delivery:${id}:attempts`,
    deliveryNotification: (id) => `${tagged}:delivery:${id}:notification`,
    openDeliveries: `${tagged}:deliveries:open`,
    failedDeliveries: `${tagged}:deliveries:failed`,
    delivered: `${tagged}:deliveries:delivered`,
    stoppedRoutes: `${tagged}:stopped-routes`,
    rejected: `${tagged}:rejected`,
    rejectedOrder: `${tagged}:rejected:order`,
  };
}

/** `lockhound` → `{lockhound}`; a prefix that has a hash tag is not changed. */
function tagPrefix(prefix: string): string {
  return /\{[^{}]+\}/.test(prefix) ? prefix : `{${prefix}}`;
}
