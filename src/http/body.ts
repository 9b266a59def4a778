import type { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { HttpError } from './errors.ts';

/** What `decompress` understands, for `accept-encoding`. */
export const ACCEPTED_ENCODINGS = 'gzip, br, zstd';

/** Few large steps instead of many of 16 KiB. */
const CHUNK_BYTES = 256 * 1024;

const DECODERS: ReadonlyMap<string, (body: Buffer, maxOutputLength: number) => Buffer> = new Map([
  ['gzip', (body, maxOutputLength) => gunzipSync(body, { maxOutputLength, chunkSize: CHUNK_BYTES })],
  ['x-gzip', (body, maxOutputLength) => gunzipSync(body, { maxOutputLength, chunkSize: CHUNK_BYTES })],
  ['br', (body, maxOutputLength) => brotliDecompressSync(body, { maxOutputLength, chunkSize: CHUNK_BYTES })],
  ['zstd', (body, maxOutputLength) => zstdDecompressSync(body, { maxOutputLength, chunkSize: CHUNK_BYTES })],
]);

/**
 * Undoes a `content-encoding`, the whole body at once: parsing costs more than that, and streams cost several times
 * as much. Throws `HttpError`: `too-large` beyond `limit` bytes, `invalid-answer` for broken or unknown encodings.
 * `subject` is for messages.
 */
export function decompress(
  body: Buffer,
  encoding: string | undefined,
  limit: number,
  subject: string,
): Buffer {
  const layers = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim());
  let result = body;
  // The last one named was applied last.
  for (const layer of layers.reverse()) {
    if (layer === '' || layer === 'identity' || result.length === 0) continue;
    const decode = DECODERS.get(layer);
    if (decode === undefined) {
      throw new HttpError('invalid-answer', `${subject}: its encoding ${layer} is unknown here`);
    }
    result = decodeWithin(decode, result, limit, subject);
  }
  return result;
}

function decodeWithin(
  decode: (body: Buffer, maxOutputLength: number) => Buffer,
  body: Buffer,
  limit: number,
  subject: string,
): Buffer {
  try {
    return decode(body, limit);
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new HttpError('too-large', `${subject}: the answer is larger than ${limit} bytes`, { cause });
    }
    throw new HttpError('invalid-answer', `${subject}: the answer cannot be decompressed`, { cause });
  }
}

/**
 * The first `limit` bytes of a body, or what there is of them when it breaks off. Empty when it is compressed although
 * nobody asked for that: the beginning of a compressed text cannot be read.
 */
export async function readBeginning(
  body: Readable,
  encoding: string | undefined,
  limit: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= limit) break;
    }
  } catch {
    // The caller goes by the status, which is there; the body is for reading only.
  }
  const readable = encoding === undefined || encoding.toLowerCase() === 'identity';
  return readable ? Buffer.concat(chunks).subarray(0, limit) : Buffer.alloc(0);
}
