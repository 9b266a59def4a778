import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { followScan } from '../../src/cli/follow-scan.ts';
import { openLocalCaller } from '../../src/cli/operations/local-caller.ts';
import { type Pipeline, startPipeline } from '../../src/compose/pipeline.ts';
import { openStore, type Store } from '../../src/compose/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { jobIdOf } from '../../src/jobs/job.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { createProducer } from '../../src/producer.ts';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { startRedis, type TestRedis } from '../redis.ts';
import { lockhound } from './lockhound.ts';

const QUEUE = 'ingest-lockfiles';
const folder = mkdtempSync(join(tmpdir(), 'enqueue-wait-'));
const log = pino({ level: 'silent' });
let valkey: TestRedis;
let insights: Awaited<ReturnType<typeof startInsightsService>>;
let store: Store;
let queue: Queue;
const pipelines: Pipeline[] = [];

beforeAll(async () => {
  writeFileSync(join(folder, 'package-lock.json'), LOCKFILE);
  valkey = await startRedis();
  insights = await startInsightsService({ partial: false });
  vi.stubEnv('LOCKHOUND_LOG_LEVEL', 'silent');
  store = await openStore(loaded(), log);
  // The commands have the documented rights alone.
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'redis.md'), 'utf8');
  const [, ...rights] = /ACL SETUSER (lockhound [^\n]+)/.exec(page)?.[1]?.split(' ') ?? [];
  await store.redis.call('ACL', 'SETUSER', 'enqueuer', ...rights);
  vi.stubEnv('REDIS_URL', valkey.url.replace('//', '//enqueuer:password@'));
  queue = new Queue(QUEUE, { connection: store.redis, prefix: store.prefix });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await queue.close();
  for (const pipeline of pipelines) await pipeline.close(0);
  await store.close();
  await insights.close();
  await valkey.close();
  rmSync(folder, { recursive: true });
});

function loaded() {
  return loadConfig({ environment: { REDIS_URL: valkey.url, LOCKHOUND_INSIGHTS_URL: insights.url } });
}

const wait = (target: string, ...args: readonly string[]) =>
  lockhound(['enqueue', folder, '--target', target, '--wait', ...args]);

describe('lockhound enqueue --wait', () => {
  it('reports that no worker is connected when the time limit is exceeded', async () => {
    const { code, out, note } = await wait('idle', '--scan', 'idle', '--timeout', '500ms');
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(note).toContain(
      `scan ${scanIdOf('idle', 'idle')} is not done after 0.5 s (no worker is connected)`,
    );
    expect(note).toContain(`\`--scan ${scanIdOf('idle', 'idle')}\``);
    await queue.remove(jobIdOf(QUEUE, scanIdOf('idle', 'idle')));
  });

  it('says after five seconds what lockhound health says', async () => {
    const notes: string[] = [];
    const controller = new AbortController();
    const slow = Promise.withResolvers<void>();
    const onSlow = (text: string) => {
      notes.push(text);
      if (text.includes('no worker is connected')) slow.resolve();
    };
    await lockhound(['enqueue', folder, '--target', 'slow', '--scan', 'slow']);
    const { signal } = controller;
    const caller = await openLocalCaller(loaded());
    const following = followScan(caller, scanIdOf('slow', 'slow'), {
      hasImage: false,
      timeoutMs: 60_000,
      slowMs: 50,
      signal,
      onProgress() {},
      onSlow,
    });
    await slow.promise;
    controller.abort();
    await expect(following).rejects.toThrow();
    await caller.close();
    expect(notes.at(-1)).toMatch(
      /^Scan slow\.[0-9a-f]{20} is not done: no worker is connected\. no worker runs.* Start a worker.*\n$/,
    );
    await queue.remove(jobIdOf(QUEUE, scanIdOf('slow', 'slow')));
  });

  it('reports a scan as lost when its job no longer exists', async () => {
    const waiting = wait('lost', '--scan', 'lost');
    const job = jobIdOf(QUEUE, scanIdOf('lost', 'lost'));
    await expect.poll(() => queue.getJobState(job)).toBe('waiting');
    await queue.remove(job);
    expect(await waiting).toMatchObject({ code: 2, note: expect.stringContaining('enqueue it again') });
  });

  it('waits for a worker that starts late, survives lost connections, and has the exit codes of scan', async () => {
    const asked = vi.spyOn(Queue.prototype, 'getJobState');
    const waiting = wait('shop', '--scan', 'late');
    const job = jobIdOf(QUEUE, scanIdOf('shop', 'late'));
    await expect.poll(() => queue.getJobState(job)).toBe('waiting');
    // The command has begun to follow the scan.
    await expect.poll(() => asked.mock.contexts.some((one) => one !== queue)).toBe(true);
    asked.mockRestore();
    await store.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    pipelines.push(await startPipeline(loaded(), store, { log }));
    const { code, out, note } = await waiting;
    expect(code).toBe(1);
    // On a slow machine a line about what it waits for follows.
    expect(note.split('\n')[0]).toBe(`Enqueued scan ${scanIdOf('shop', 'late')} of shop: package-lock.json`);
    expect(out).toMatch(/lodash 4\.17\.20 .*GHSA-35jh-r3h4-6jhm/);
    expect(out).toMatch(/package-lock\.json {2}4 packages/);

    const again = await wait('shop', '--scan', 'late', '--json', '--fail-on', 'never');
    const report = JSON.parse(again.out);
    expect(report).toMatchObject({
      schema: 'lockhound.scan/1',
      scan: scanIdOf('shop', 'late'),
      superseded: false,
    });
    expect(again.code).toBe(report.gaps.length > 0 ? 2 : 0);
    const bom = JSON.parse((await wait('shop', '--scan', 'late', '--format', 'cyclonedx')).out);
    expect(bom.vulnerabilities.map(({ id }: { id: string }) => id)).toContain('GHSA-35jh-r3h4-6jhm');
  });

  it('has the same reports later, of the scan and of what is stored of its target', async () => {
    const waited = await wait('shop', '--scan', 'late', '--format', 'sarif');
    const { code, out } = await lockhound(['scans', 'report', 'late', '--format', 'sarif']);
    expect([code, out]).toEqual([0, waited.out]);
    const stored = JSON.parse((await lockhound(['targets', 'report', 'shop', '--json'])).out);
    const report = JSON.parse((await lockhound(['scans', 'report', 'late', '--json'])).out);
    const names = (all: readonly { fingerprint: string }[]) =>
      all.map(({ fingerprint }) => fingerprint).sort();
    expect(names(stored.findings)).toEqual(names(report.findings));
    expect(stored).toMatchObject({ scan: scanIdOf('shop', 'late'), counts: { packages: 4 } });
    expect((await lockhound(['scans', 'report', 'none'])).note).toContain('there is no scan none');
  });

  it('says where else to look when a scan has no report', async () => {
    const old = { scan: 'old', target: 'shop', requestedAt: new Date().toISOString() };
    await store.scans.fail({ ...old, state: 'failed', reason: 'no' });
    const { code, note } = await lockhound(['scans', 'report', 'old']);
    expect(code).toBe(2);
    expect(note).toMatch(
      /scan old \(failed\) has no report .*`lockhound targets report shop`.*\[no-report\]/,
    );
  });

  it('has reports only where the scan is waited for', async () => {
    const refused = await lockhound(['enqueue', folder, '--target', 'shop', '--report', 'html=scan.html']);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.note).toContain('reports such as html need --wait');
  });

  it('reports a scan of unchanged lockfiles with the open findings of its target', async () => {
    const { code, out } = await wait('shop', '--scan', 'unchanged', '--json');
    const report = JSON.parse(out);
    expect(code).toBe(1);
    expect(report).toMatchObject({
      scan: scanIdOf('shop', 'unchanged'),
      complete: true,
      changes: [],
      gaps: [],
    });
    expect(report.counts).toMatchObject({ lockfiles: 1, packages: 4 });
    expect(report.findings.map(({ package: { name } }: { package: { name: string } }) => name)).toContain(
      'lodash',
    );
    const again = (await wait('shop', '--scan', 'unchanged')).out;
    expect(again).toMatch(/lodash 4\.17\.20 .*GHSA-35jh-r3h4-6jhm/);
    expect(again).toContain('package-lock.json  4 packages: 3 resolved, 1 missing\n');
    expect(again).toContain('Nothing changed: these are the lockfiles of the last scan.\n');
    expect((await lockhound(['scans', 'report', 'unchanged'])).out).toBe(again);
    const { out: scans } = await lockhound(['scans', 'get', 'unchanged']);
    expect(scans).toMatch(/unchanged +yes\n/);
    expect(scans).toMatch(/lockfiles +1\n +packages +4\n/);
  });

  it('prints the result of a superseded scan with a note', async () => {
    const producer = await createProducer({ redis: valkey.url });
    const lockfiles = [{ path: 'package-lock.json', content: LOCKFILE }];
    await producer.enqueue({
      scan: 'tomorrow',
      target: { id: 'old' },
      lockfiles,
      // Clocks of producers may be ahead by a minute.
      requestedAt: new Date(Date.now() + 50_000).toISOString(),
    });
    await expect.poll(() => store.outcomes.read('judge-scan', scanIdOf('old', 'tomorrow'))).toBeDefined();
    await producer.close();
    const { code, out } = await wait('old');
    expect(out).toContain('Superseded: ');
    expect(code).toBe(1);
  });

  it('ends with the reason of a scan that was rejected, and how to see it', async () => {
    await queue.add(QUEUE, { version: 1, key: 'bad' }, { jobId: jobIdOf(QUEUE, scanIdOf('bad', 'bad')) });
    const { code, note } = await wait('bad', '--scan', 'bad');
    expect(code).toBe(2);
    expect(note).toMatch(
      /ingest-lockfiles: .*payload: .*lockhound rejected get ingest-lockfiles j[0-9a-f]+` .*\[scan-failed\]/,
    );
  });

  it('reports from the verdict when the packages are no longer stored', async () => {
    await store.redis.del(`${store.prefix}:outcome:ingest-lockfiles:${scanIdOf('shop', 'late')}`);
    const { code, out } = await wait('shop', '--scan', 'late');
    expect(code).toBe(1);
    expect(out).toContain('lodash 4.17.20');
  });

  it.each(['soon', '0', '99d'])('refuses --timeout %s', async (text) => {
    const { code, note } = await wait('x', '--timeout', text);
    expect(code).toBe(2);
    expect(note).toContain('a duration such as');
  });
});
