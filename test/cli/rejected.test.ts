import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { reconcileOnce } from '../../src/compose/lost-work.ts';
import { type Pipeline, startPipeline } from '../../src/compose/pipeline.ts';
import { openStore, type Store } from '../../src/compose/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { startRedis, type TestRedis } from '../redis.ts';
import { lockhound } from './lockhound.ts';

const QUEUE = 'ingest-lockfiles';
const folder = mkdtempSync(join(tmpdir(), 'rejected-'));
let valkey: TestRedis;
let store: Store;
let pipeline: Pipeline;
let queue: Queue;

beforeAll(async () => {
  valkey = await startRedis();
  vi.stubEnv('REDIS_URL', valkey.url);
  const loaded = loadConfig({ environment: { REDIS_URL: valkey.url, LOCKHOUND_WORKER_LOCK_DURATION: '1s' } });
  const log = pino({ level: 'silent' });
  store = await openStore(loaded, log);
  pipeline = await startPipeline(loaded, store, { log });
  queue = new Queue(QUEUE, { connection: store.redis, prefix: store.prefix });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await queue.close();
  await pipeline.close(0);
  await store.close();
  await valkey.close();
  rmSync(folder, { recursive: true });
});

function envelope(scan: string, lockfile: object) {
  const payload = { scan, target: { id: 'a' }, requestedAt: '2026-01-31T06:00:00Z', lockfiles: [lockfile] };
  return { version: 1, key: scan, payload };
}

async function failed(id: string): Promise<void> {
  await expect.poll(() => queue.getJobState(id)).toBe('failed');
}

describe('lockhound rejected', () => {
  it('shows data that is not JSON, rejected once, and enqueues the corrected data', async () => {
    await queue.add(QUEUE, {}, { jobId: 'foreign', delay: 500 });
    await store.redis.hset(queue.toKey('foreign'), 'data', "{'scan': '\u001b[31mred'}");
    await failed('foreign');
    // Attempts that were started; how often it stalled.
    expect(await store.redis.hmget(queue.toKey('foreign'), 'ats', 'stc')).toEqual(['1', null]);

    const list = await lockhound(['rejected']);
    expect(list.code).toBe(0);
    expect(list.out).toMatch(/ {2}foreign\n {4}job +ingest-lockfiles\n/);
    expect(list.out).toContain('(root)  expected JSON: ');
    const shown = await lockhound(['rejected', 'get', QUEUE, 'foreign']);
    expect(shown.out).toContain("{'scan': '\\u001b[31mred'}");
    expect(list.out + shown.out).not.toContain('\u001b');

    const again = await lockhound(['rejected', 'retry', QUEUE, 'foreign']);
    expect(again).toMatchObject({ code: 1, out: expect.stringMatching(/outcome +invalid\n/) });

    const file = join(folder, 'fixed.json');
    const lockfile = { path: 'package-lock.json', content: '{"lockfileVersion":3,"packages":{"":{}}}' };
    writeFileSync(file, JSON.stringify(envelope('fixed', lockfile)));
    const fixed = await lockhound(['rejected', 'retry', QUEUE, 'foreign', '--data', file]);
    expect(fixed).toEqual({
      code: 0,
      out: 'job      ingest-lockfiles\nid       foreign\noutcome  queued\n',
      note: '',
    });
    await expect
      .poll(() => store.outcomes.read('judge-scan', scanIdOf('a', 'fixed')))
      .toMatchObject({ result: { scan: scanIdOf('a', 'fixed') } });
    expect((await lockhound(['rejected'])).out).toMatch(/^rejected +none\n/);
  });

  it('shows payloads whose reasons Redis has lost after the next search for lost jobs, and none that is deleted', async () => {
    const scan = envelope('twice', { path: 'package-lock.json', content: '{}' });
    const data = [{ version: 1 }, scan, { ...scan, payload: { ...scan.payload, partial: true } }];
    const ids = data.map((_, index) => `lost-${index}`);
    await queue.add(QUEUE, data[1], { jobId: 'first' });
    await expect.poll(() => queue.getJobState('first')).toBe('unknown');
    for (const [index, one] of data.entries())
      if (index !== 1) await queue.add(QUEUE, one, { jobId: ids[index] ?? '' });
    await queue.add(QUEUE, {}, { jobId: 'lost-1', delay: 500 });
    await store.redis.hset(queue.toKey('lost-1'), 'data', 'no JSON');
    await Promise.all(ids.map(failed));
    const entries = async () =>
      (await store.rejected.list())
        .map(({ at: _at, ...entry }) => entry)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    const before = await entries();
    expect(before.map(({ id }) => id)).toEqual(ids);
    const log = pino({ level: 'silent' });
    for (const id of ids) await store.rejected.remove({ job: QUEUE, id });
    await reconcileOnce(store, log);
    const [taken] = (await entries()).splice(2);
    expect(await entries()).toEqual([...before.slice(0, 2), { ...before[2], issues: taken?.issues }]);
    expect(taken?.issues[0]?.reason).toContain(before[2]?.issues[0]?.reason);

    expect(await lockhound(['rejected', 'drop-all'])).toMatchObject({ code: 0 });
    await reconcileOnce(store, log);
    expect(await store.rejected.count()).toBe(0);
  });

  it('lists the faults, prints the data for correction, and deletes payload and job', async () => {
    const data = envelope('large', { path: 'package-lock.json', format: 'x'.repeat(9_000) });
    await queue.add(QUEUE, data, { jobId: 'large' });
    await queue.add(QUEUE, envelope('bare', { path: 'package-lock.json' }), { jobId: 'bare' });
    await Promise.all([failed('large'), failed('bare')]);

    const one = await lockhound(['rejected', '--limit', '1']);
    expect(one.out).toMatch(/^total +2\nrejected \(1\)\n/);
    const bare = await lockhound(['rejected', 'get', QUEUE, 'bare', '--json']);
    expect(JSON.parse(bare.out).issues).toEqual([
      {
        path: 'payload.lockfiles.0',
        reason: 'expected one of `content`, `sha256` with `bytes`, or `unread`',
      },
    ]);
    // Longer than the stored data, so it is read from the job itself.
    const large = await lockhound(['rejected', 'get', QUEUE, 'large', '--format', 'data']);
    expect(JSON.parse(large.out)).toEqual(data);

    await queue.remove('large');
    const gone = await lockhound(['rejected', 'retry', QUEUE, 'large']);
    expect(gone).toMatchObject({ code: 1, out: expect.stringMatching(/outcome +gone\n/) });
    expect(await lockhound(['rejected', 'drop-all'])).toMatchObject({ code: 0, note: '' });
    expect(await queue.getJobState('bare')).toBe('unknown');
    expect(await store.rejected.count()).toBe(0);
    const unknown = await lockhound(['rejected', 'get', QUEUE, 'bare']);
    expect(unknown).toMatchObject({ code: 2, note: expect.stringContaining('[not-found]') });
  });

  it('puts all back, and says which would be rejected again', async () => {
    await queue.add(QUEUE, envelope('bad', { path: 'package-lock.json' }), { jobId: 'bad' });
    await failed('bad');
    const all = await lockhound(['rejected', 'retry-all']);
    expect(all).toMatchObject({ code: 1, out: expect.stringMatching(/id +bad\n +outcome +invalid\n/) });
    const dropped = await lockhound(['rejected', 'drop', QUEUE, 'bad']);
    expect(dropped).toEqual({ code: 0, out: 'bad is deleted\n', note: '' });
    expect((await lockhound(['rejected', 'retry-all'])).out).toBe('rejected  none\n');
  });
});
