import type { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { HttpError } from './errors.ts';

/** The value of `accept-encoding`: what `decompress` supports. */
export const ACCEPTED_ENCODINGS = 'gzip, br, zstd';

/** Larger than the default of 16 KiB, for fewer steps. */
const CHUNK_BYTES = 256 * 1024;

const DECODERS: ReadonlyMap<string, (body: Buffer, maxOutputLength: number) => Buffer> = new Map([
  ['gzip', (body, maxOutputLength) => gunzipSync(body, { maxOutputLength, chunkSize: CHUNK_BYTES })],
  ['x-gzip', (body, maxOutputLength) => gunzipSync(body, { maxOutputLength, chunkSize: CHUNK_BYTES })],
  ['br', (body, maxOutputLength) => brotliDecompressSync(body, { maxOutputLength, chunkSize: CHUNK_BYTES })],
  ['zstd', (body, maxOutputLength) => zstdDecompressSync(body, { maxOutputLength, chunkSize: CHUNK_BYTES })],
]);

/**
 * The decompressed body. Works on the whole body synchronously: streams take several times as long, and parsing the result
 * takes longer still. Throws `HttpError`: `too-large` beyond `limit` bytes, `invalid-answer` for damaged or unknown
 * encodings. `subject` is for messages.
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
  // The last encoding was applied last.
  for (const layer of layers.reverse()) {
    if (layer === '' || layer === 'identity' || result.length === 0) continue;
    const decode = DECODERS.get(layer);
    if (decode === undefined) {
      throw new HttpError('invalid-answer', `${subject}: its encoding ${layer} is not supported`);
    }
    try {
      result = decode(result, limit);
    } catch (cause) {
      if (cause instanceof RangeError) {
        throw new HttpError('too-large', `${subject}: the answer is larger than ${limit} bytes`, { cause });
      }
      throw new HttpError('invalid-answer', `${subject}: the answer cannot be decompressed`, { cause });
    }
  }
  return result;
}

/**
 * The first `limit` bytes of a body, or fewer when it is cut off. Empty when it is compressed although the request did not
 * allow that.
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
    // The status is known, and it decides; the body is for messages only.
  }
  const readable = encoding === undefined || encoding.toLowerCase() === 'identity';
  return readable ? Buffer.concat(chunks).subarray(0, limit) : Buffer.alloc(0);
}
