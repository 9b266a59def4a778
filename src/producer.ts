import { Queue } from 'bullmq';
import { sealEnvelope } from './jobs/envelope.ts';
import { jobIdOf } from './jobs/job-id.ts';
import { INGEST_LOCKFILES } from './jobs/payloads/ingest-lockfiles.ts';
import { type ScanRequest, scanPayload } from './jobs/scan-request.ts';
import { createBlobStore } from './store/blobs.ts';
import { createKeys, DEFAULT_PREFIX } from './store/keys.ts';
import { closeRedis, connectRedis } from './store/redis/connection.ts';

export type { ProducedContent, ProducedLockfile, ScanRequest, StoredContent } from './jobs/scan-request.ts';

export interface ProducerOptions {
  /** `redis://` or `rediss://` URL; for a cluster several, separated by commas. */
  readonly redis: string;
  /** Must be the workers' `redis.prefix`. Default `{lockhound}`. */
  readonly prefix?: string;
  /** How long contents stay stored, in milliseconds. Default 14 days. */
  readonly retentionMs?: number;
  /** Largest content, in bytes. Default 100 MiB. */
  readonly maxBytes?: number;
}

export interface Producer {
  /**
   * Stores the contents by hash and enqueues the scan. Throws `EnvelopeError` (`invalid-payload`) when the request is not
   * valid, `StoreError` when a content is too large.
   */
  enqueue(request: ScanRequest): Promise<{ readonly scan: string; readonly jobId: string }>;
  close(): Promise<void>;
}

const DEFAULT_RETENTION_MS = 14 * 24 * 3_600_000;
const DEFAULT_MAX_BYTES = 104_857_600;

/** Connects to Redis. Throws `StoreError` when it does not answer within 10 s. */
export async function createProducer(options: ProducerOptions): Promise<Producer> {
  const {
    redis: urls,
    prefix = DEFAULT_PREFIX,
    retentionMs = DEFAULT_RETENTION_MS,
    maxBytes = DEFAULT_MAX_BYTES,
  } = options;
  const redis = await connectRedis({ urls: urls.split(',') });
  const keys = createKeys(prefix);
  const blobs = createBlobStore(redis, keys, { ttlMs: retentionMs, maxBytes });
  const queue = new Queue(INGEST_LOCKFILES.name, {
    connection: redis,
    prefix: keys.prefix,
    skipVersionCheck: true,
    // The workers set how many events a queue keeps.
    skipMetasUpdate: true,
  });
  // The connection reconnects by itself, and failed commands reject for their caller.
  queue.on('error', () => {});
  return {
    async enqueue(request) {
      const payload = await scanPayload(request, blobs.put);
      const envelope = sealEnvelope(INGEST_LOCKFILES, payload);
      const jobId = jobIdOf(INGEST_LOCKFILES.name, envelope.key);
      await queue.add(INGEST_LOCKFILES.name, envelope, { jobId });
      return { scan: payload.scan, jobId };
    },
    async close() {
      await queue.close();
      await closeRedis(redis);
    },
  };
}
