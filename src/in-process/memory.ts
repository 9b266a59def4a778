import { hash } from 'node:crypto';
import type {
  BlobPort,
  DeliveryPort,
  DigestPort,
  FactsPort,
  FleetPort,
  ScanPort,
  TargetPort,
} from '../jobs/ports.ts';
import type { PutContent } from '../jobs/scan-request.ts';
import { compareScans } from '../model/alert/compare-scans.ts';
import { CodedError } from '../model/errors.ts';
import type { Cache } from '../model/ports/cache.ts';
import type { Facts } from '../model/ports/facts.ts';
import type { Inspections } from '../model/ports/inspections.ts';
import type { SeenVersions } from '../model/ports/seen-versions.ts';
import type { TargetState } from '../model/scan/change.ts';
import { createMemoryCache } from './memory-cache.ts';
import { createMemoryInspections } from './memory-inspections.ts';
import { createOutcomes, type MemoryMaps, type MemoryOutcomes } from './outcomes.ts';

/** `blob-missing`: no content of that hash was given to this process. */
class MemoryError extends CodedError<'blob-missing'> {}

/**
 * State that the scans of one process share: maps that hold what workers store in Redis. Values are not copied and do
 * not expire.
 */
export interface Memory {
  readonly outcomes: MemoryOutcomes;
  readonly blobs: BlobPort & {
    readonly put: PutContent;
    /** Frees a content. Each `put` is released once; the last release frees it. */
    release(sha256: string): void;
  };
  readonly targets: TargetPort;
  readonly deliveries: DeliveryPort;
  readonly digests: DigestPort;
  readonly scans: ScanPort;
  readonly cache: Cache;
  readonly seen: SeenVersions;
  readonly inspections: Inspections;
  readonly facts: FactsPort;
  readonly fleet: FleetPort;
}

/** `states`: of targets that earlier scans judged. */
export function createMemory(states: ReadonlyMap<string, TargetState> = new Map()): Memory {
  const maps: MemoryMaps = {
    outcomes: new Map(),
    targets: new Map(states),
    notifications: new Map(),
    digests: new Map(),
  };
  const { targets, notifications, digests } = maps;
  return {
    outcomes: createOutcomes(maps),
    blobs: createBlobs(),
    targets: { read: async (target) => targets.get(target) },
    deliveries: {
      async file({ id }, notification) {
        if (!notifications.has(id)) notifications.set(id, notification);
      },
      read: async (id) => notifications.get(id),
      async move({ id }, { state }) {
        if (state === 'delivered') notifications.delete(id);
      },
    },
    digests: { read: async (route) => [...(digests.get(route)?.values() ?? [])].sort(compareScans) },
    // Records do not outlive the process; an event reports the failure to the caller.
    scans: { fail: async () => {} },
    cache: createMemoryCache(),
    seen: createSeenVersions(),
    inspections: createMemoryInspections(),
    facts: { versions: NO_FACTS, advisories: NO_FACTS },
    fleet: NO_FLEET,
  };
}

function createBlobs(): Memory['blobs'] {
  const contents = new Map<string, { readonly content: Buffer; readonly uses: number }>();
  return {
    async put(content) {
      const sha256 = hash('sha256', content);
      contents.set(sha256, { content, uses: (contents.get(sha256)?.uses ?? 0) + 1 });
      return { sha256, bytes: content.length };
    },
    async read({ path, sha256 }) {
      const stored = contents.get(sha256);
      if (stored !== undefined) return stored.content;
      throw new MemoryError(
        'blob-missing',
        `The content of ${path} (SHA-256 ${sha256}) was not given to this process: a scan without Redis needs the content itself.`,
      );
    },
    release(sha256) {
      const stored = contents.get(sha256);
      if (stored === undefined || stored.uses === 1) contents.delete(sha256);
      else contents.set(sha256, { ...stored, uses: stored.uses - 1 });
    },
  };
}

/** A process of its own has no fleet: what it knows is in the cache. */
const NO_FACTS: Facts<never> = {
  read: async (keys) => keys.map(() => undefined),
  changedSince: async () => new Map(),
};

/** Nothing outlives the process, so nothing is refreshed. */
const NO_FLEET: FleetPort = {
  packageIds: async () => new Uint32Array(),
  youngPackageIds: async () => new Uint32Array(),
  identities: async () => [],
  advisoryIds: async () => [],
  pending: async () => ({ versions: [], advisories: [] }),
  countPending: async () => 0,
  affectedTargets: async () => [],
  incompleteTargets: async () => [],
  dueTargets: async () => [],
  countDue: async () => 0,
  allTargets: async () => [],
  targetsWith: async () => [],
  summary: async () => undefined,
  inventory: (hash) =>
    Promise.reject(new RangeError(`there is no inventory ${hash}: this process has no fleet`)),
  lastRefresh: async () => undefined,
  refreshInProgress: async () => undefined,
  waitingScans: async () => 0,
  openTargets: async function* () {},
  unjudgedTargets: async () => 0,
  changedSuppressions: async () => [],
};

function createSeenVersions(): SeenVersions {
  const seen = new Set<string>();
  return {
    async add(keys) {
      for (const key of keys) seen.add(key);
    },
    has: async (keys) => keys.map((key) => seen.has(key)),
  };
}
