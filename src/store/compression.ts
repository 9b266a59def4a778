import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gunzip, zstdCompress, zstdDecompress } from 'node:zlib';
import { jsonParts } from './json-parts.ts';

const compressZstd = promisify(zstdCompress);
const expandZstd = promisify(zstdDecompress);
const expandGzip = promisify(gunzip);

/** First bytes of a Zstandard frame (RFC 8878 §3.1.1) and of a gzip member (RFC 1952 §2.3.1). */
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Compresses with Zstandard at its default level. */
export function compress(content: Buffer): Promise<Buffer> {
  return compressZstd(content, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });
}

/** The compression that the first bytes name. */
export function recogniseCompression(stored: Buffer): 'zstd' | 'gzip' | 'none' {
  if (stored.subarray(0, 4).equals(ZSTD_MAGIC)) return 'zstd';
  return stored.subarray(0, 2).equals(GZIP_MAGIC) ? 'gzip' : 'none';
}

/** Undoes whatever compression the first bytes name. Throws when it is damaged or grows past `maxBytes`. */
export async function expand(stored: Buffer, maxBytes: number): Promise<Buffer> {
  switch (recogniseCompression(stored)) {
    case 'zstd':
      return expandZstd(stored, { maxOutputLength: maxBytes });
    case 'gzip':
      return expandGzip(stored, { maxOutputLength: maxBytes });
    case 'none':
      if (stored.length > maxBytes) throw new RangeError(`${stored.length} bytes are more than ${maxBytes}`);
      return stored;
  }
}

/** Less gains little, and each compression costs a context of its own. */
const COMPRESS_FROM_BYTES = 4_096;

/** A value as JSON, compressed when it is large. `undefined` is kept as `null`. */
export async function packJson(value: unknown): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify(value ?? null));
  return json.length < COMPRESS_FROM_BYTES ? json : await compress(json);
}

/** The same for a value that may be of any size: the event loop does other work while it is written. */
export async function packLargeJson(value: unknown): Promise<Buffer> {
  const written: Buffer[] = [];
  let text = '';
  for (const part of jsonParts(value)) {
    text += part;
    if (text.length < FLUSH_CHARACTERS) continue;
    written.push(Buffer.from(text));
    text = '';
    await setImmediate();
  }
  const json = Buffer.concat([...written, Buffer.from(text)]);
  return json.length < COMPRESS_FROM_BYTES ? json : await compress(json);
}

const FLUSH_CHARACTERS = 262_144;

/** Reads what `packJson` wrote. Throws when it is damaged. */
export async function unpackJson(stored: Buffer): Promise<unknown> {
  return JSON.parse((await expand(stored, MAX_JSON_BYTES)).toString('utf8'));
}

const MAX_JSON_BYTES = 512 * 1024 * 1024;
