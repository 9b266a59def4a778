import { createHash } from 'node:crypto';
import type { BlobPort, DeliveryPort, DigestPort, ScanPort, TargetPort } from '../jobs/ports.ts';
import type { PutContent } from '../jobs/scan-request.ts';
import { compareScans } from '../model/alert/notification.ts';
import { CodedError } from '../model/errors.ts';
import type { Cache } from '../model/ports/cache.ts';
import type { SeenVersions } from '../model/ports/seen-versions.ts';
import type { Outcomes } from '../model/queue/outcome.ts';
import { createMemoryCache } from './memory-cache.ts';
import { createOutcomes, type MemoryMaps } from './outcomes.ts';

/** `blob-missing`: no content of that hash was given to this process. */
class MemoryError extends CodedError<'blob-missing'> {}

/**
 * State that the scans of one process share: maps that hold what workers store in Redis. Values are not copied and do
 * not expire.
 */
export interface Memory {
  readonly outcomes: Outcomes;
  readonly blobs: BlobPort & { readonly put: PutContent };
  readonly targets: TargetPort;
  readonly deliveries: DeliveryPort;
  readonly digests: DigestPort;
  readonly scans: ScanPort;
  readonly cache: Cache;
  readonly seen: SeenVersions;
}

export function createMemory(): Memory {
  const maps: MemoryMaps = {
    outcomes: new Map(),
    targets: new Map(),
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
  };
}

function createBlobs(): Memory['blobs'] {
  const contents = new Map<string, Buffer>();
  return {
    async put(content) {
      const sha256 = createHash('sha256').update(content).digest('hex');
      contents.set(sha256, content);
      return { sha256, bytes: content.length };
    },
    async read({ path, sha256 }) {
      const content = contents.get(sha256);
      if (content !== undefined) return content;
      throw new MemoryError(
        'blob-missing',
        `The content of ${path} (SHA-256 ${sha256}) was not given to this process: a scan without Redis needs the content itself.`,
      );
    },
  };
}

function createSeenVersions(): SeenVersions {
  const seen = new Set<string>();
  return {
    async add(keys) {
      for (const key of keys) seen.add(key);
    },
    has: async (keys) => keys.map((key) => seen.has(key)),
  };
}
