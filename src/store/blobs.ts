import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../model/errors.ts';
import type { ContentReference } from '../model/scan/change.ts';
import { chunks } from '../model/yielding.ts';
import { StoreError } from './errors.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { compress, expand } from './values/compression.ts';

export interface BlobOptions {
  /** Time to live of content after it was last stored or read. Default 7 days. */
  readonly ttlMs?: number;
  /** Largest content in bytes, uncompressed. Default 128 MiB. */
  readonly maxBytes?: number;
}

const KEPT_AT_ONCE = 500;
const DEFAULT_TTL_MS = 7 * 24 * 3600 * 1000;
const DEFAULT_MAX_BYTES = 128 * 1024 * 1024;

/** Contents of lockfiles under their SHA-256. */
export function createBlobStore(redis: RedisClient, keys: Keys, options: BlobOptions = {}) {
  const ttlMs = options.ttlMs ?? DEFAULT_TTL_MS;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  return {
    /** Stores content, compressed and once. Throws `blob-too-large`. */
    async put(content: Buffer): Promise<{ readonly sha256: string; readonly bytes: number }> {
      if (content.length > maxBytes) throw tooLarge(`A lockfile of ${content.length} bytes`, maxBytes);
      const sha256 = await hash(content);
      const key = keys.blob(sha256);
      if ((await redis.pexpire(key, ttlMs)) === 0) {
        await redis.set(key, await compress(content), 'PX', ttlMs);
      }
      return { sha256, bytes: content.length };
    },
    /** Whether all contents are stored; they then stay stored for another time to live. */
    async keep(hashes: readonly string[]): Promise<boolean> {
      for (const part of chunks(hashes, KEPT_AT_ONCE)) {
        const kept = await Promise.all(part.map((sha256) => redis.pexpire(keys.blob(sha256), ttlMs)));
        if (kept.some((answer) => answer === 0)) return false;
      }
      return true;
    },
    /** Reads content and verifies its hash. Throws `blob-missing`, `blob-corrupt` or `blob-too-large`. */
    async read(reference: ContentReference): Promise<Buffer> {
      const key = keys.blob(reference.sha256);
      const stored = await redis.getexBuffer(key, 'PX', ttlMs);
      if (stored === null) throw missing(reference);
      return await verified(stored, reference, maxBytes).catch(async (error: unknown) => {
        // While the damaged value is stored, `put` would not store the content again.
        if (error instanceof StoreError && error.code === 'blob-corrupt') await redis.unlink(key);
        throw error;
      });
    },
  };
}

/** Other producers may store zstd, gzip or uncompressed bytes. The hash of the uncompressed content is verified. */
async function verified(stored: Buffer, reference: ContentReference, maxBytes: number): Promise<Buffer> {
  if (stored.length <= maxBytes && (await hash(stored)) === reference.sha256) return stored;
  let content: Buffer;
  try {
    content = await expand(stored, maxBytes);
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(describe(reference), maxBytes);
    throw corrupt(reference, `it cannot be decompressed (${messageOf(error)})`, error);
  }
  const actual = await hash(content);
  if (actual !== reference.sha256) throw corrupt(reference, `its SHA-256 is ${actual}`);
  return content;
}

/** SHA-256 in hex, computed in slices that yield to other work. */
async function hash(content: Buffer): Promise<string> {
  const sum = createHash('sha256');
  for (let start = 0; start < content.length; start += HASHED_AT_ONCE) {
    if (start > 0) await setImmediate();
    sum.update(content.subarray(start, start + HASHED_AT_ONCE));
  }
  return sum.digest('hex');
}

/** Bytes that take some milliseconds. */
const HASHED_AT_ONCE = 2_097_152;

function isTooLarge(error: unknown): boolean {
  return (
    error instanceof RangeError ||
    (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
  );
}

function describe(reference: ContentReference): string {
  return `The content of ${reference.path} (SHA-256 ${reference.sha256})`;
}

function missing(reference: ContentReference): StoreError {
  return new StoreError(
    'blob-missing',
    `${describe(reference)} is not in the store: it was never stored there or has expired. Enqueue the lockfile again.`,
  );
}

function corrupt(reference: ContentReference, what: string, cause?: unknown): StoreError {
  return new StoreError(
    'blob-corrupt',
    `${describe(reference)} is damaged: ${what}. Enqueue the lockfile again.`,
    {
      cause,
    },
  );
}

function tooLarge(what: string, maxBytes: number): StoreError {
  return new StoreError(
    'blob-too-large',
    `${what} is larger than ${maxBytes} bytes, the largest size that is accepted.`,
  );
}
