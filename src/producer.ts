import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { DEFAULT_PREFIX, jobIdOf } from './jobs/contract.ts';
import { sealEnvelope } from './jobs/envelope.ts';
import {
  INGEST_LOCKFILES,
  type IngestedLockfile,
  type IngestLockfiles,
} from './jobs/ingest-lockfiles.payload.ts';
import { type BlobStore, createBlobStore } from './store/blobs.ts';
import { closeRedis, connectRedis } from './store/connection.ts';
import { createKeys } from './store/keys.ts';

export interface ProducerOptions {
  /** `redis://` or `rediss://` URL; several, comma separated, for a cluster. */
  readonly redis: string;
  /** Must be the workers' `redis.prefix`. Default `{lockhound}`. */
  readonly prefix?: string;
  /** How long contents stay stored, in milliseconds. Default 14 days. */
  readonly retentionMs?: number;
  /** Largest content, in bytes. Default 100 MiB. */
  readonly maxBytes?: number;
}

export interface ScanRequest {
  readonly target: { readonly id: string; readonly labels?: Readonly<Record<string, string>> };
  readonly lockfiles: readonly ProducedLockfile[];
  /** Id of the scan: the same id is scanned once. Default: a new one. */
  readonly scan?: string;
  /** When the scan was asked for, RFC 3339. Default: now. */
  readonly requestedAt?: string;
  /** These are only some of the lockfiles of the target: findings in the others stay open. Default: all of them. */
  readonly partial?: boolean;
}

/** A lockfile with its content, with a reference to content that lies in the store already, or unread. */
export type ProducedLockfile = ProducedFile & (ProducedContent | StoredContent);

/** What a file holds, or why it could not be read: the scan then reports it as unread, and resolves nothing in it. */
export type ProducedContent =
  | { readonly content: string | Buffer }
  | { readonly unread: { readonly code: string; readonly message: string } };

export interface StoredContent {
  /** SHA-256 of the content, hex. */
  readonly sha256: string;
  /** Size of the content, uncompressed. */
  readonly bytes: number;
}

interface ProducedFile {
  /** Below the target's root, with forward slashes. */
  readonly path: string;
  /** Name of the format; detected when left out. */
  readonly format?: string;
  /** Files that its format can make use of, such as its manifest: beside it, or above it (`../pom.xml`). */
  readonly companions?: readonly ({ readonly name: string } & ProducedContent)[];
}

export interface Producer {
  /**
   * Stores the contents under their hash and puts the scan on the queue. Throws `EnvelopeError` (`invalid-payload`)
   * when the request does not fit, `StoreError` when a content is too large.
   */
  enqueue(request: ScanRequest): Promise<{ readonly scan: string; readonly jobId: string }>;
  close(): Promise<void>;
}

const DEFAULT_RETENTION_MS = 14 * 24 * 3_600_000;
const DEFAULT_MAX_BYTES = 104_857_600;

/** Connects and gets ready to enqueue. Throws `StoreError` when no Redis answers within 10 s. */
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
    // How many events a queue keeps is for the workers to say.
    skipMetasUpdate: true,
  });
  // The connection reconnects by itself; a failed command rejects where it was made.
  queue.on('error', () => {});
  return {
    async enqueue(request) {
      const payload = await payloadOf(request, blobs);
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

async function payloadOf(request: ScanRequest, blobs: BlobStore): Promise<IngestLockfiles> {
  const lockfiles: IngestedLockfile[] = [];
  for (const file of request.lockfiles) {
    const { path, format, companions = [] } = file;
    const beside = [];
    for (const { name, ...companion } of companions) {
      beside.push({ name, ...(await stored(companion, blobs)) });
    }
    lockfiles.push({
      path,
      ...('sha256' in file ? { sha256: file.sha256, bytes: file.bytes } : await stored(file, blobs)),
      ...(format === undefined ? {} : { format }),
      ...(beside.length === 0 ? {} : { companions: beside }),
    });
  }
  return {
    scan: request.scan ?? randomUUID(),
    target: { id: request.target.id, labels: { ...request.target.labels } },
    lockfiles,
    requestedAt: request.requestedAt ?? new Date().toISOString(),
    ...(request.partial === true ? { partial: true } : {}),
  };
}

async function stored(file: ProducedContent, blobs: BlobStore) {
  return 'content' in file ? await blobs.put(Buffer.from(file.content)) : { unread: file.unread };
}
