import type { Readable } from 'node:stream';

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
