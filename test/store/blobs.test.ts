import { createHash, randomBytes } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBlobStore } from '../../src/store/blobs.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const CONTENT = Buffer.from(JSON.stringify({ packages: Array.from({ length: 500 }, (_, i) => `p${i}`) }));

function referenceTo(content: Buffer) {
  return { path: 'package-lock.json', sha256: sha256Of(content), bytes: content.length };
}

function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

async function store(content: Buffer, stored: Buffer) {
  await room.redis.set(room.keys.blob(sha256Of(content)), stored, 'PX', 60_000);
  return referenceTo(content);
}

describe('content of this library', () => {
  it('is stored compressed under its hash and read back', async () => {
    const blobs = createBlobStore(room.redis, room.keys);
    expect(await blobs.put(CONTENT)).toEqual({ sha256: sha256Of(CONTENT), bytes: CONTENT.length });
    const size = await room.redis.strlen(room.keys.blob(sha256Of(CONTENT)));
    expect(size).toBeLessThan(CONTENT.length / 2);
    expect(await blobs.read(referenceTo(CONTENT))).toEqual(CONTENT);
  });

  it('lives longer each time it is stored or read', async () => {
    const content = Buffer.from('renewed');
    const key = room.keys.blob(sha256Of(content));
    const blobs = createBlobStore(room.redis, room.keys, { ttlMs: 60_000 });
    await blobs.put(content);
    for (const touch of [() => blobs.put(content), () => blobs.read(referenceTo(content))]) {
      await room.redis.pexpire(key, 5_000);
      await touch();
      expect(await room.redis.pttl(key)).toBeGreaterThan(30_000);
    }
  });

  it('may be empty', async () => {
    const blobs = createBlobStore(room.redis, room.keys);
    await blobs.put(Buffer.alloc(0));
    expect(await blobs.read(referenceTo(Buffer.alloc(0)))).toHaveLength(0);
  });

  it('is refused when it is too large', async () => {
    const blobs = createBlobStore(room.redis, room.keys, { maxBytes: 10 });
    const largest = Buffer.alloc(10, 'a');
    await blobs.put(largest);
    expect(await blobs.read(referenceTo(largest))).toEqual(largest);
    expect(await blobs.read(await store(largest, largest))).toEqual(largest);
    await expect(blobs.put(Buffer.alloc(11))).rejects.toMatchObject({ code: 'blob-too-large' });
    expect(await room.redis.exists(room.keys.blob(sha256Of(Buffer.alloc(11))))).toBe(0);
  });
});

describe('content of other producers', () => {
  it.each([
    ['as it is', (content: Buffer) => content],
    ['as gzip', (content: Buffer) => gzipSync(content)],
    ['as Zstandard', (content: Buffer) => zstdCompressSync(content)],
  ])('is read %s', async (name, pack) => {
    const content = Buffer.from(`${name} ${CONTENT.toString()}`);
    const blobs = createBlobStore(room.redis, room.keys);
    expect(await blobs.read(await store(content, pack(content)))).toEqual(content);
  });

  it('is not decompressed when it is itself a compressed file', async () => {
    const archive = gzipSync(CONTENT);
    const blobs = createBlobStore(room.redis, room.keys);
    expect(await blobs.read(await store(archive, archive))).toEqual(archive);
  });
});

describe('unavailable content', () => {
  it('is missing', async () => {
    const blobs = createBlobStore(room.redis, room.keys);
    await expect(blobs.read(referenceTo(Buffer.from('never stored')))).rejects.toMatchObject({
      code: 'blob-missing',
      message: expect.stringContaining('package-lock.json'),
    });
  });

  it.each([
    ['of another hash', gzipSync('something else')],
    ['cut short', gzipSync(randomBytes(2_000)).subarray(0, 900)],
    ['Zstandard in name only', Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), randomBytes(50)])],
    ['plain text of another hash', Buffer.from('{}')],
  ])('is damaged: %s; stored again it is read', async (name, stored) => {
    const content = Buffer.from(`content ${name}`);
    const blobs = createBlobStore(room.redis, room.keys);
    const reference = await store(content, stored);
    await expect(blobs.read(reference)).rejects.toMatchObject({ code: 'blob-corrupt' });
    await blobs.put(content);
    expect(await blobs.read(reference)).toEqual(content);
  });

  it.each([
    ['gzip', gzipSync],
    ['Zstandard', zstdCompressSync],
    ['nothing', (content: Buffer) => content],
  ])(
    'is too large when decompressed from %s, and stays for readers with a larger limit',
    async (_name, pack) => {
      const content = Buffer.alloc(1_000_000, _name);
      const reference = await store(content, pack(content));
      const strict = createBlobStore(room.redis, room.keys, { maxBytes: 100_000 });
      await expect(strict.read(reference)).rejects.toMatchObject({ code: 'blob-too-large' });
      expect(await createBlobStore(room.redis, room.keys).read(reference)).toEqual(content);
    },
  );
});
