import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, tooManyRequests } from '../../src/embedded/faults.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterEach(() => {
  world.services.insights.faults.clear();
  world.services.webhooks.faults.clear();
  world.services.receiver.faults.clear();
});

afterAll(() => world.close());

function enqueue(room: Room, scan: string, lockfile = LOCKFILE) {
  return room.producer.enqueue({
    scan,
    target: { id: 'target' },
    lockfiles: [{ path: 'package-lock.json', content: lockfile }],
  });
}

function alerts(name: string) {
  return world.services.receiver.deliveries().filter(({ path }) => path === `/${name}`);
}

/** What the other answers of a service mean is in `test/insights/operations.test.ts`. */
const OUTAGES: Readonly<Record<string, Fault>> = {
  'is down (503)': { kind: 'answer', status: 503, body: 'service unavailable' },
  'says 429': tooManyRequests(1),
};

describe('the insights service', () => {
  it.each(Object.entries(OUTAGES))(
    '%s for a while: the scan waits and then finds everything',
    async (what, fault) => {
      const name = `insights-${what.replaceAll(/\W+/g, '-')}`;
      const room = await world.room(name);
      world.services.insights.faults.inject(fault, { times: 3 });
      room.work();
      await enqueue(room, 'one');
      const verdict = await room.verdict('one');
      expect(verdict.counts.outcomes).toMatchObject({ resolved: 3, missing: 1, failed: 0 });
      expect(verdict.gaps).toEqual([]);
      expect(verdict.changes.length).toBeGreaterThan(3);
    },
  );

  it('lacks one advisory: its finding is unrated, and the gap is named', async () => {
    const room = await world.room('one-advisory');
    const when = ({ url }: { url: string }) => url.includes('GHSA-35jh-r3h4-6jhm');
    world.services.insights.faults.inject(
      { kind: 'answer', status: 404, body: 'advisory not found' },
      { times: 9, when },
    );
    room.work();
    await enqueue(room, 'one');
    const verdict = await room.verdict('one');
    const [gap] = verdict.gaps;
    expect(gap).toMatchObject({ kind: 'advisory', subject: 'GHSA-35jh-r3h4-6jhm' });
    const finding = verdict.findings.find(({ advisory }) => advisory?.id === 'GHSA-35jh-r3h4-6jhm');
    expect(finding).toMatchObject({ severity: 'unrated', package: { name: 'lodash' } });
    expect(verdict.findings.some(({ severity }) => severity !== 'unrated')).toBe(true);
  });
});

describe('Redis', () => {
  it('breaks all connections repeatedly: the scan still ends with one alert', async () => {
    const room = await world.room('breaking');
    const worker = room.work();
    world.services.insights.faults.latencyMs = 40;
    await expect.poll(() => worker.output()).toContain('worker ready');
    await enqueue(room, 'one');
    for (let times = 0; times < 6; times += 1) {
      await sleep(60);
      await room.store.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    }
    expect((await room.verdict('one')).counts.outcomes).toMatchObject({ resolved: 3, missing: 1 });
    await room.outcome('deliver-notification', 'one.default');
    expect(alerts('breaking')).toHaveLength(1);
    expect(worker.output()).toContain('redis connection lost');
  });
});

describe('the webhook platform', () => {
  it('refuses the credentials: the log says so, scans continue, the alert waits', async () => {
    const room = await world.room('refused');
    const wrong = room.work({ LOCKHOUND_SECRET_API_KEY: 'not-the-key' });
    await enqueue(room, 'one');
    expect((await room.verdict('one')).changes.length).toBeGreaterThan(0);
    await expect.poll(() => wrong.output()).toMatch(/HTTP 403.*Check `notify/);
    expect(alerts('refused')).toEqual([]);
    await wrong.stop();
    room.work();
    await room.outcome('deliver-notification', 'one.default');
    expect(alerts('refused')).toHaveLength(1);
  });
});

describe('changes over scans', () => {
  it('a second identical scan sends nothing; removed findings are resolved; returned ones are reopened', async () => {
    const room = await world.room('changes');
    room.work();
    const scan = async (name: string, lockfile: string) => {
      await sleep(5);
      await enqueue(room, name, lockfile);
      const verdict = await room.verdict(name);
      if (verdict.changes.length > 0) await room.outcome('deliver-notification', `${name}.default`);
      return verdict.changes.map(({ transition, finding }) => `${transition} ${finding.package.name}`);
    };
    const first = await scan('one', LOCKFILE);
    expect(new Set(first.map((change) => change.split(' ')[0]))).toEqual(new Set(['opened']));
    expect(await scan('two', LOCKFILE)).toEqual([]);
    const without = JSON.parse(LOCKFILE);
    delete without.packages['node_modules/request'];
    const gone = await scan('three', JSON.stringify(without));
    expect(new Set(gone)).toEqual(new Set(['resolved request']));
    expect(new Set(await scan('four', LOCKFILE))).toEqual(new Set(['reopened request']));
    // A lockfile that cannot be read resolves nothing.
    expect(await scan('five', LOCKFILE.slice(0, 200))).toEqual([]);
    expect(alerts('changes')).toHaveLength(3);
  });
});

describe('an invalid payload', () => {
  it('fails immediately with path and reason, and is kept', async () => {
    const room = await world.room('misfit');
    const worker = room.work();
    const { Queue } = await import('bullmq');
    const queue = new Queue('ingest-lockfiles', { connection: { url: world.redisUrl }, prefix: '{misfit}' });
    const job = await queue.add('ingest-lockfiles', {
      version: 1,
      key: 'x',
      payload: { scan: 'x', target: { id: '' }, lockfiles: [], requestedAt: 'yesterday' },
    });
    await expect.poll(() => room.store.rejected.list()).toHaveLength(1);
    const [rejected] = await room.store.rejected.list();
    expect(rejected?.issues.map(({ path }) => path)).toEqual([
      'payload.target.id',
      'payload.requestedAt',
      'payload.lockfiles',
    ]);
    await expect.poll(() => job.getState()).toBe('failed');
    await queue.close();
    await worker.stop();
  });
});
