import { pipeline, Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  constants,
  createZstdCompress,
  createZstdDecompress,
  gunzip,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import { isSmall, jsonParts, readJsonLines } from './json-lines.ts';

const compressZstd = promisify(zstdCompress);
const expandZstd = promisify(zstdDecompress);
const expandGzip = promisify(gunzip);

/** First bytes of a Zstandard frame (RFC 8878 §3.1.1) and of a gzip member (RFC 1952 §2.3.1). */
const ZSTD_MAGIC = 0x28b52ffd;
const GZIP_MAGIC = 0x1f8b;

/** The default level of Zstandard. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/**
 * Up to this size, uncompressed, Zstandard runs in the calling thread, for some milliseconds at most. Node's
 * asynchronous functions and streams allocate a context and buffers outside the heap for each call; garbage collection
 * took half of a worker's time.
 */
const SYNC_BYTES = 1024 * 1024;
/** The same, compressed: JSON takes about a tenth. */
const SYNC_STORED_BYTES = 65_536;

/** Compresses with Zstandard. */
export async function compress(content: Buffer): Promise<Buffer> {
  return content.length <= SYNC_BYTES ? zstdCompressSync(content, LEVEL) : await compressZstd(content, LEVEL);
}

/** The compression, recognised by the first bytes. */
export function recogniseCompression(stored: Buffer): 'zstd' | 'gzip' | 'none' {
  if (stored.length >= 4 && stored.readUInt32BE(0) === ZSTD_MAGIC) return 'zstd';
  return stored.length >= 2 && stored.readUInt16BE(0) === GZIP_MAGIC ? 'gzip' : 'none';
}

/** Decompresses by the first bytes. Throws when the content is damaged or larger than `maxBytes`. */
export async function expand(stored: Buffer, maxBytes: number): Promise<Buffer> {
  switch (recogniseCompression(stored)) {
    case 'zstd':
      return isLarge(stored)
        ? await expandZstd(stored, { maxOutputLength: maxBytes })
        : zstdDecompressSync(stored, { maxOutputLength: maxBytes });
    case 'gzip':
      return expandGzip(stored, { maxOutputLength: maxBytes });
    case 'none':
      if (stored.length > maxBytes) throw new RangeError(`${stored.length} bytes are more than ${maxBytes}`);
      return stored;
  }
}

/** Smaller values gain little, and each compression allocates a context. */
const COMPRESS_FROM_BYTES = 4_096;

/** A value as JSON, compressed when it is large; text costs ioredis less than bytes. `undefined` becomes `null`. */
export function packJson(value: unknown): Promise<Buffer | string> {
  return packText(JSON.stringify(value ?? null));
}

/**
 * Packs a value of any size, in lines (`json-lines.ts`). It is written in slices that yield to other work, and
 * the whole text is never in memory.
 */
export function packLargeJson(value: unknown): Promise<Buffer | string> {
  return isSmall(value) ? packJson(value) : packParts(value);
}

async function packParts(value: unknown): Promise<Buffer | string> {
  const texts = inBlocks(jsonParts(value));
  const first = texts.next().value ?? '';
  if (first.length < BLOCK_CHARACTERS) return await packText(first);
  return await buffer(through(asBuffers(first, texts), createZstdCompress(LEVEL)));
}

async function packText(text: string): Promise<Buffer | string> {
  return Buffer.byteLength(text) < COMPRESS_FROM_BYTES ? text : await compress(Buffer.from(text));
}

/**
 * Reads what `packJson` and `packLargeJson` wrote; large values in slices that yield to other work. Throws when it is
 * damaged.
 */
export async function unpackJson(stored: Buffer): Promise<unknown> {
  if (!isLarge(stored)) {
    return JSON.parse((await expand(stored, MAX_JSON_BYTES)).toString('utf8'));
  }
  return await readJsonLines(through([stored], createZstdDecompress({ chunkSize: BLOCK_BYTES })));
}

/** Whether a stored value is read in slices that yield to other work. */
export function isLarge(stored: Buffer): boolean {
  return recogniseCompression(stored) === 'zstd' && stored.length > SYNC_STORED_BYTES;
}

const MAX_JSON_BYTES = 512 * 1024 * 1024;
const BLOCK_BYTES = 262_144;
const BLOCK_CHARACTERS = 524_288;

function* inBlocks(parts: Iterable<string>): Generator<string, void, void> {
  let text = '';
  for (const part of parts) {
    text += text === '' ? part : `\n${part}`;
    if (text.length < BLOCK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** The output of a transform; reading it throws the errors of input and transform. */
function through(input: Iterable<Buffer> | AsyncIterable<Buffer>, transform: Transform): Transform {
  return pipeline(Readable.from(input), transform, () => {});
}

async function* asBuffers(first: string, rest: Iterable<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  for (const text of rest) {
    await setImmediate();
    yield Buffer.from(`\n${text}`);
  }
}
