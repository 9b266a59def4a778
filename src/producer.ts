import { Queue, type Telemetry } from 'bullmq';
import { sealEnvelope } from './jobs/envelope.ts';
import { jobIdOf } from './jobs/job.ts';
import { contentOf } from './jobs/payloads/fields.ts';
import { INGEST_LOCKFILES, scanPayload } from './jobs/payloads/ingest-lockfiles.ts';
import { releaseOf } from './jobs/payloads/release.ts';
import { releasedTarget, releaseIdOf } from './model/fleet/release.ts';
import { newScanId, scanIdOf } from './model/scan/scan-id.ts';
import type { ScanRequest } from './scan/read.ts';
import { createBlobStore } from './store/blobs.ts';
import { createKeys, DEFAULT_PREFIX, type Keys } from './store/keys.ts';
import { claimRelease, claimRequest } from './store/outcomes/request-claims.ts';
import { closeRedis, connectRedis, type RedisClient } from './store/redis/connection.ts';
import { createShardLayouts, requireLayout, shardOf } from './store/shards/shard-layout.ts';

export type { ScannedImage } from './model/image/image.ts';
export type { ProducedContent, ProducedLockfile, ScanRequest, StoredContent } from './scan/read.ts';

export interface ProducerOptions {
  /** `redis://` or `rediss://` URL; for a cluster several, separated by commas. */
  readonly redis: string;
  /** Must be the workers' `redis.prefix`. Default `{lockhound}`. */
  readonly prefix?: string;
  /** Must be the workers' `redis.shards`. Default: the number that the workers stored. */
  readonly shards?: number;
  /** How long contents stay stored, in milliseconds. Default 14 days. */
  readonly retentionMs?: number;
  /** Largest content, in bytes. Default 100 MiB. */
  readonly maxBytes?: number;
  /** `new BullMQOtel(…)` of `bullmq-otel`: a scan continues the trace in which it is enqueued. */
  readonly telemetry?: Telemetry;
}

export interface Producer {
  /**
   * Stores the contents by hash and enqueues the scan. Throws `EnvelopeError` (`invalid-payload`) when the request is not
   * valid, `StoreError` when a content is too large, when another scan of the target has the id (`scan-exists`), when the release has other
   * lockfiles (`release-exists`), when the number of
   * shards is being changed (`shards-moving`), or when it is not that of the workers (`shards-differ`).
   *
   * Resolves to the id under which workers know the scan: the requested one with a suffix that belongs to the target.
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
  const redis = await connectRedis({ urls });
  const layouts = createShardLayouts(redis, prefix);
  const queues = new Map<string, Queue>();
  /** The number of shards now: it may change while this producer runs. */
  const countShards = async (): Promise<number> => {
    const layout = await layouts.read();
    requireLayout(layout, options.shards ?? layout?.shards ?? 1);
    return options.shards ?? layout?.shards ?? 1;
  };
  const queueOf = ({ prefix: ofShard }: Keys): Queue => {
    const queue = queues.get(ofShard) ?? openQueue(redis, ofShard, options.telemetry);
    queues.set(ofShard, queue);
    return queue;
  };
  /** Resolves to false when the number of shards changed meanwhile: the scan may be on a queue without workers. */
  const enqueueOnce = async (request: ScanRequest & { readonly scan: string }): Promise<boolean> => {
    const count = await countShards();
    // All shards share the contents.
    const blobs = createBlobStore(redis, createKeys(prefix, { index: 0, count }), {
      ttlMs: retentionMs,
      maxBytes,
    });
    const payload = await scanPayload(request, blobs.put);
    const envelope = sealEnvelope(INGEST_LOCKFILES, payload);
    const keys = createKeys(prefix, { index: shardOf(request.target.id, count), count });
    const release = releaseOf(payload);
    if (release !== undefined)
      await claimRelease(redis, keys, { target: payload.target.id, digest: release.digest });
    await claimRequest(redis, keys, { scan: payload.scan, content: contentOf(payload) });
    const jobId = jobIdOf(INGEST_LOCKFILES.name, envelope.key);
    await queueOf(keys).add(INGEST_LOCKFILES.name, envelope, { jobId });
    return (await countShards()) === count;
  };
  return {
    async enqueue(request) {
      const { requestedAt = new Date().toISOString() } = request;
      const { target, release } = request;
      const id = release === undefined ? target.id : releaseIdOf(releasedTarget(target.id), release);
      const scan = scanIdOf(id, request.scan ?? newScanId());
      // A scan that is enqueued again has the same job id, and an id is scanned once.
      for (let enqueued = false; !enqueued; ) {
        enqueued = await enqueueOnce({ ...request, scan, requestedAt });
      }
      return { scan, jobId: jobIdOf(INGEST_LOCKFILES.name, scan) };
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await closeRedis(redis);
    },
  };
}

function openQueue(redis: RedisClient, prefix: string, telemetry: Telemetry | undefined): Queue {
  const queue = new Queue(INGEST_LOCKFILES.name, {
    connection: redis,
    prefix,
    skipVersionCheck: true,
    // The workers set how many events a queue keeps.
    skipMetasUpdate: true,
    ...(telemetry === undefined ? {} : { telemetry }),
  });
  // The connection reconnects by itself, and failed commands reject for their caller.
  return queue.on('error', () => {});
}
