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
import { jsonParts, readJsonLines } from './json-lines.ts';

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

/** Compresses with Zstandard. */
export async function compress(content: Buffer): Promise<Buffer> {
  if (content.length > SYNC_BYTES) return await compressZstd(content, LEVEL);
  return zstdCompressSync(content, LEVEL);
}

/** The compression, recognised by the first bytes. */
export function recogniseCompression(stored: Buffer): 'zstd' | 'gzip' | 'none' {
  if (stored.length >= 4 && stored.readUInt32BE(0) === ZSTD_MAGIC) return 'zstd';
  return stored.length >= 2 && stored.readUInt16BE(0) === GZIP_MAGIC ? 'gzip' : 'none';
}

/** Decompresses by the first bytes. Throws when the content is damaged or larger than `maxBytes`. */
export async function expand(stored: Buffer, maxBytes: number): Promise<Buffer> {
  switch (recogniseCompression(stored)) {
    case 'zstd': {
      const size = statedSize(stored);
      if (size !== undefined && size <= Math.min(SYNC_BYTES, maxBytes)) {
        return zstdDecompressSync(stored, { maxOutputLength: maxBytes });
      }
      return expandZstd(stored, { maxOutputLength: maxBytes });
    }
    case 'gzip':
      return expandGzip(stored, { maxOutputLength: maxBytes });
    case 'none':
      if (stored.length > maxBytes) throw new RangeError(`${stored.length} bytes are more than ${maxBytes}`);
      return stored;
  }
}

/**
 * The size that a Zstandard frame states for its content (RFC 8878 §3.1.1.1), in bytes. Frames that were written as a stream
 * state none. A decoder refuses a frame whose content has another size.
 */
function statedSize(frame: Buffer): number | undefined {
  if (frame.length < 18) return undefined;
  const descriptor = frame.readUInt8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  switch (descriptor >> 6) {
    case 0:
      return isSingleSegment ? frame.readUInt8(at) : undefined;
    case 1:
      return frame.readUInt16LE(at) + 256;
    case 2:
      return frame.readUInt32LE(at);
    default:
      return undefined;
  }
}

/** Smaller values gain little, and each compression allocates a context. */
const COMPRESS_FROM_BYTES = 4_096;

/** A value as JSON, compressed when it is large; text costs ioredis less than bytes. `undefined` becomes `null`. */
export function packJson(value: unknown): Promise<Buffer | string> {
  return packText(JSON.stringify(value ?? null));
}

/**
 * Texts of up to this size, in bytes, are put together here. New memory for each, as a string or as a buffer, takes longer than the text
 * itself on a virtual machine.
 */
const joined = Buffer.allocUnsafeSlow(SYNC_BYTES);

/**
 * Packs a value of any size, in lines (`json-lines.ts`). It is written in slices that yield to other work, and
 * the whole text is never in memory.
 */
export async function packLargeJson(value: unknown): Promise<Buffer | string> {
  const parts = jsonParts(value);
  let length = 0;
  for (const part of parts) {
    const line = length === 0 ? part : `\n${part}`;
    if (length + Buffer.byteLength(line) > joined.length) {
      const begun = Buffer.from(joined.subarray(0, length));
      return await buffer(through(inBlocks(begun, line, parts), createZstdCompress(LEVEL)));
    }
    length += joined.write(line, length);
  }
  const text = joined.subarray(0, length);
  return length < COMPRESS_FROM_BYTES ? text.toString() : await compress(text);
}

async function packText(text: string): Promise<Buffer | string> {
  return Buffer.byteLength(text) < COMPRESS_FROM_BYTES ? text : await compress(Buffer.from(text));
}

/**
 * Reads what `packJson` and `packLargeJson` wrote; large values in slices that yield to other work. Throws when it is
 * damaged.
 */
export async function unpackJson(stored: Buffer): Promise<unknown> {
  const blocks = isLarge(stored)
    ? through([stored], createZstdDecompress({ chunkSize: BLOCK_BYTES }))
    : [await expand(stored, MAX_JSON_BYTES)];
  return await readJsonLines(blocks);
}

/** Whether a stored value is read in slices that yield to other work. */
export function isLarge(stored: Buffer): boolean {
  return (
    recogniseCompression(stored) === 'zstd' && (statedSize(stored) ?? Number.POSITIVE_INFINITY) > SYNC_BYTES
  );
}

const MAX_JSON_BYTES = 512 * 1024 * 1024;
const BLOCK_BYTES = 262_144;
const BLOCK_CHARACTERS = 524_288;

/** The output of a transform; reading it throws the errors of input and transform. */
function through(input: Iterable<Buffer> | AsyncIterable<Buffer>, transform: Transform): Transform {
  return pipeline(Readable.from(input), transform, () => {});
}

/** The lines of a value in blocks: those before a line, the line, and those after it. */
async function* inBlocks(before: Buffer, line: string, after: Iterable<string>): AsyncGenerator<Buffer> {
  yield before;
  let text = line;
  for (const part of after) {
    text += `\n${part}`;
    if (text.length < BLOCK_CHARACTERS) continue;
    await setImmediate();
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}
