import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { createWorld, type World } from '../pipeline/world.ts';

/** The documents for producers in other languages: the schema and the page that describes the queue. */
const SCHEMA = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'schemas', 'ingest-lockfiles.v1.json'), 'utf8'),
);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

function envelope(scan: string, lockfiles: readonly object[]) {
  const payload = { scan, target: { id: 'foreign' }, requestedAt: '2026-01-31T06:00:00Z', lockfiles };
  return { version: 1, key: scan, payload };
}

const fits = new Ajv2020({ formats: { 'date-time': true } }).compile(SCHEMA);

describe('a producer that uses only the schema', () => {
  it('enqueues a scan with content in the payload and content stored as gzip', async () => {
    const room = await world.room('foreign');
    const redis = new Redis(world.redisUrl);
    const sha256 = createHash('sha256').update(LOCKFILE).digest('hex');
    await redis.set(`{foreign}:blob:${sha256}`, gzipSync(LOCKFILE), 'PX', 60_000);
    const data = envelope('by-schema', [
      { path: 'a/package-lock.json', content: LOCKFILE },
      { path: 'b/package-lock.json', sha256, bytes: LOCKFILE.length },
      { path: 'c/package-lock.json', sha256: '0'.repeat(64), bytes: 1 },
    ]);
    expect(fits(data), JSON.stringify(fits.errors)).toBe(true);
    const queue = new Queue('ingest-lockfiles', { connection: { url: world.redisUrl }, prefix: '{foreign}' });
    await queue.add('ingest-lockfiles', data);
    room.work();
    const verdict = await room.verdict('by-schema');
    expect(verdict.counts).toMatchObject({ lockfiles: 2, packages: 8 });
    expect(verdict.gaps).toMatchObject([{ kind: 'lockfile', subject: 'c/package-lock.json' }]);
    expect(verdict.findings[0]?.locations.map(({ path }) => path)).toEqual([
      'a/package-lock.json',
      'b/package-lock.json',
    ]);
    await queue.close();
    redis.disconnect();
  });

  it.each([
    ['a path that leads out', [{ path: '../package-lock.json', content: '{}' }]],
    ['an absolute path', [{ path: '/etc/package-lock.json', content: '{}' }]],
    ['neither content nor hash', [{ path: 'package-lock.json' }]],
    ['both', [{ path: 'package-lock.json', content: '{}', sha256: '0'.repeat(64), bytes: 2 }]],
    ['content with a size', [{ path: 'package-lock.json', content: '{}', bytes: 2 }]],
    ['a hash without a size', [{ path: 'package-lock.json', sha256: '0'.repeat(64) }]],
    ['no lockfile', []],
    ['a control character', [{ path: 'a\u0000b', content: '{}' }]],
  ])('is rejected by the schema: %s', (_name, lockfiles) => {
    expect(fits(envelope('x', lockfiles))).toBe(false);
  });
});

describe('createProducer', () => {
  it('queues the same scan once and refuses an invalid one, with the path', async () => {
    const room = await world.room('library');
    const request = {
      scan: 'once',
      target: { id: 'target' },
      lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
    };
    const first = await room.producer.enqueue(request);
    expect(await room.producer.enqueue(request)).toEqual(first);
    const queue = new Queue('ingest-lockfiles', { connection: { url: world.redisUrl }, prefix: '{library}' });
    expect(await queue.getWaitingCount()).toBe(1);
    const [job] = await queue.getWaiting();
    expect(fits(job?.data), JSON.stringify(fits.errors)).toBe(true);
    expect(JSON.stringify(job?.data).length).toBeLessThan(500);
    await queue.close();
    const bad = { ...request, lockfiles: [{ path: 'a/../../b', content: '{}' }] };
    await expect(room.producer.enqueue(bad)).rejects.toThrow(/payload\.lockfiles\.0/);
  });
});
