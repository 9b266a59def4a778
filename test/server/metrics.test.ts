import { spawnSync } from 'node:child_process';
import { Queue } from 'bullmq';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMetrics } from '../../src/compose/metrics.ts';
import { openStore, type Store } from '../../src/compose/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { deliveryAttempts, endedLookUps, httpAttempts, lostSpans } from '../../src/model/telemetry.ts';
import { createRegistry } from '../../src/server/metrics/registry.ts';
import { createScrape } from '../../src/server/metrics/scrape.ts';
import { startRedis, type TestRedis } from '../redis.ts';

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;

let valkey: TestRedis;
let store: Store;
const loaded = (prefix: string) =>
  loadConfig({ environment: { REDIS_URL: valkey.url, LOCKHOUND_REDIS_PREFIX: prefix } });
beforeAll(async () => {
  valkey = await startRedis();
  store = await openStore(loaded('{metrics}'), pino({ level: 'silent' }));
});
afterAll(async () => {
  await store.close();
  await valkey.close();
});

/** The lines of one metric. */
function linesOf(text: string, name: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
}

/** Those of them that are not 0. */
function counted(text: string, name: string): readonly string[] {
  return linesOf(text, name).filter((line) => !line.endsWith(' 0'));
}

describe('the metrics of a process', () => {
  it('hold what is in the queues, without intended delays, and the numbers of the fleet', async () => {
    const options = { connection: store.redis, prefix: store.prefix, skipVersionCheck: true };
    const queue = new Queue('judge-scan', options);
    const now = Date.now();
    await queue.add('old', {}, { jobId: 'old', timestamp: now - 60_000 });
    await queue.add('new', {}, { jobId: 'new', timestamp: now });
    const other = new Queue('deliver-notification', options);
    await other.add('due', {}, { jobId: 'due', timestamp: now - 90_000, delay: 60_000 });
    await other.add('later', {}, { jobId: 'later', timestamp: now - 90_000, delay: 3_600_000 });
    await store.redis.hset(
      `${store.prefix}:fleet:targets`,
      'shop',
      summary({ openByRule: { vulnerability: { high: 2 } } }),
    );
    await store.redis.hset(
      `${store.prefix}:fleet:targets`,
      'old',
      summary({ openByRule: { licenses: { low: 1 } } }),
    );
    await store.deliveries.stopRoute('chat', 'answered 410', 0);
    const metrics = openMetrics(loaded('{metrics}'), [store]);
    const text = await metrics.text();
    await Promise.all([metrics.close(), queue.close(), other.close()]);
    expect(linesOf(text, 'lockhound_queue_jobs')).toEqual(
      expect.arrayContaining([
        'lockhound_queue_jobs{queue="judge-scan",state="waiting"} 2',
        'lockhound_queue_jobs{queue="deliver-notification",state="delayed"} 2',
        'lockhound_queue_jobs{queue="ingest-lockfiles",state="waiting"} 0',
      ]),
    );
    const ages = new Map(
      linesOf(text, 'lockhound_queue_oldest_seconds').map((line) => [
        /queue="([^"]+)"/.exec(line)?.[1],
        Number(line.split(' ').at(-1)),
      ]),
    );
    expect(ages.get('judge-scan')).toBeGreaterThanOrEqual(60);
    // Due 30 seconds ago, and queued 90 seconds ago.
    expect(ages.get('deliver-notification')).toBeGreaterThanOrEqual(30);
    expect(ages.get('deliver-notification')).toBeLessThan(90);
    expect(ages.get('ingest-lockfiles')).toBe(0);
    expect(text).toContain('\nlockhound_redis_up 1\n');
    expect(text).toContain('\nlockhound_targets 2\n');
    expect(text).toContain('\nlockhound_stopped_routes 1\n');
    expect(linesOf(text, 'lockhound_open_findings').toSorted()).toEqual([
      'lockhound_open_findings{rule="licenses",severity="low"} 1',
      'lockhound_open_findings{rule="vulnerability",severity="high"} 2',
    ]);
    expect(text).toContain('lockhound_stale_targets{older_than="90d"} 2');
    expect(linesOf(text, 'lockhound_redis_memory_bytes')).toHaveLength(1);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  });

  it('say how the last pass over the ledgers ended, and nothing without one', async () => {
    const archives = [
      { waiting: 3, error: 'away', succeededAt: 5_000 },
      { waiting: 1, succeededAt: 9_000 },
    ];
    const shards = archives.map((one): Store => ({ ...store, lastArchive: async () => one }));
    const metrics = openMetrics(loaded('{metrics}'), shards);
    const text = await metrics.text();
    await metrics.close();
    expect(text).toContain('\nlockhound_ledger_archive_success_timestamp_seconds 5\n');
    expect(text).toContain('\nlockhound_ledger_archive_failed 1\n');
    expect(text).toContain('\nlockhound_ledger_blocks_waiting 4\n');
    const without = openMetrics(loaded('{metrics}'), [store]);
    expect(await without.text()).not.toMatch(/^lockhound_ledger_/m);
    await without.close();
  });

  it('count what the parts of the process publish, with a bounded number of label values', async () => {
    const metrics = openMetrics(loaded('{metrics}'), [store]);
    httpAttempts.publish({ service: 'insights', status: 200, durationMs: 20, waitedMs: 1_500 });
    httpAttempts.publish({ service: 'insights', status: 429, durationMs: 20, waitedMs: 0 });
    httpAttempts.publish({ service: 'insights', durationMs: 20, waitedMs: 0 });
    lostSpans.publish({ count: 12 });
    endedLookUps.publish({ kind: 'version', outcome: 'missing', from: 'cache', count: 7 });
    for (let route = 0; route < 100; route += 1) {
      deliveryAttempts.publish({ route: `route-${route}`, result: 'accepted', durationMs: 1 });
      metrics.onEvent({ kind: 'failed', job: `job-${route}`, key: 'k', reason: 'r' });
    }
    const change = { transition: 'opened', finding: { rule: 'vulnerability', severity: 'high' } };
    const foreign = { transition: 'opened', finding: { rule: 'of-another-release', severity: 'low' } };
    const result = { superseded: false, complete: true, changes: [change, change, foreign] };
    metrics.onEvent({ kind: 'finished', job: 'judge-scan', key: 'k', durationMs: 40, result });
    metrics.onEvent({ kind: 'finished', job: 'judge-scan', key: 'k', durationMs: 40 });
    metrics.onEvent({ kind: 'finished', job: 'judge-target', key: 'k', durationMs: 40, result: null });
    const text = await metrics.text();
    await metrics.close();
    expect(counted(text, 'lockhound_http_requests_total')).toEqual([
      'lockhound_http_requests_total{service="insights",status="2xx"} 1',
      'lockhound_http_requests_total{service="insights",status="429"} 1',
      'lockhound_http_requests_total{service="insights",status="none"} 1',
    ]);
    expect(text).toContain('\nlockhound_lost_spans_total 12\n');
    expect(text).toContain('lockhound_request_budget_wait_seconds_total{service="insights"} 1.5');
    expect(text).toContain('lockhound_look_ups_total{kind="version",outcome="missing",source="cache"} 7');
    expect(counted(text, 'lockhound_delivery_attempts_total')).toEqual([
      'lockhound_delivery_attempts_total{route="other",result="accepted"} 100',
    ]);
    expect(counted(text, 'lockhound_jobs_total').toSorted()).toEqual([
      'lockhound_jobs_total{queue="judge-scan",result="finished"} 2',
      'lockhound_jobs_total{queue="judge-target",result="finished"} 1',
      'lockhound_jobs_total{queue="other",result="failed"} 100',
    ]);
    expect(linesOf(text, 'lockhound_finding_changes_total')).toEqual([
      'lockhound_finding_changes_total{rule="vulnerability",severity="high",transition="opened"} 2',
      'lockhound_finding_changes_total{rule="other",severity="low",transition="opened"} 1',
    ]);
  });

  it('start at 0, so that the first failure is an increase', async () => {
    const metrics = openMetrics(loaded('{metrics}'), [store]);
    const text = await metrics.text();
    await metrics.close();
    for (const line of [
      'lockhound_jobs_total{queue="ingest-lockfiles",result="failed"} 0',
      'lockhound_http_requests_total{service="insights",status="429"} 0',
      'lockhound_verdicts_total{result="incomplete"} 0',
      'lockhound_request_budget_wait_seconds_total{service="insights"} 0',
    ])
      expect(text.split('\n')).toContain(line);
  });

  it('have the number of workers that run', async () => {
    const metrics = openMetrics(loaded('{counted}'), [store]);
    const { redis } = store;
    await redis.zadd('{metrics}:workers', Date.now() - 60_000, 'dead', Date.now() + 60_000, 'alive');
    const text = await metrics.text();
    await redis.del('{metrics}:workers');
    expect(text).toContain('\nlockhound_workers 1\n');
    expect(await metrics.text()).toContain('\nlockhound_workers 0\n');
    await metrics.close();
  });

  it.skipIf(!HAS_PROMTOOL)('pass `promtool check metrics` (Debian: prometheus)', async () => {
    const metrics = openMetrics(loaded('{metrics}'), [store]);
    const input = await metrics.text();
    await metrics.close();
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    const own = (stdout + stderr).split('\n').filter((line) => line.startsWith('lockhound_'));
    expect(own).toEqual([]);
  });
});

describe('a scrape while Redis does not answer', () => {
  it('ends in time, leaves out old values, and asks nothing more until Redis has answered', async () => {
    const registry = createRegistry();
    const asked: string[] = [];
    const answered = Promise.withResolvers<never>();
    const scrape = createScrape(registry, {
      read: () => {
        asked.push('read');
        return answered.promise;
      },
      rules: [],
      limitMs: 20,
    });
    registry.targets.set(12);
    for (let count = 1; count <= 3; count += 1) {
      const text = await scrape();
      expect(text).toContain('\nlockhound_redis_up 0\n');
      expect(text).toContain(`\nlockhound_scrape_failures_total ${count}\n`);
      expect(linesOf(text, 'lockhound_targets')).toEqual([]);
    }
    expect(asked).toHaveLength(1);
    answered.reject(new Error('connection lost'));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([scrape(), scrape()]);
    expect(asked.length).toBe(2);
  });
});

function summary(more: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    ...{ version: 1, labels: {}, lockfiles: [], packages: 3, open: { low: 1 } },
    requestedAt: '2020-01-01T00:00:00Z',
    ...more,
  });
}
