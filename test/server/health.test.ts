import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHealthServer } from '../../src/server/health.ts';

let server: Awaited<ReturnType<typeof startHealthServer>>;
beforeAll(async () => {
  server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    limitMs: 50,
  });
});
afterAll(() => server.close());

const PROBES = [
  { name: 'good', check: async () => [{ name: 'good', note: 'worth knowing' }] },
  { name: 'hanging', check: () => new Promise<never>(() => {}) },
  { name: 'broken', check: () => Promise.reject(new Error('no answer')) },
];

describe('a process that is starting', () => {
  const readiness = async () => {
    const answer = await fetch(`${server.url}/readyz`);
    return [answer.status, ((await answer.json()) as { checks: unknown }).checks];
  };

  it('runs, is not ready, says what it waits for, and has no Redis', async () => {
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await readiness()).toEqual([503, [{ name: 'start', fault: 'the process is starting' }]]);
    server.waitFor('Redis at a:1: connection refused');
    expect(await readiness()).toEqual([503, [{ name: 'start', fault: 'Redis at a:1: connection refused' }]]);
    const metrics = await fetch(`${server.url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await metrics.text()).toMatch(/^lockhound_redis_up 0$/m);
  });
});

describe('/readyz', () => {
  it('answers in time and names the probes that hang or fail', async () => {
    server.show({ probes: PROBES, metrics: { contentType: 'text/plain', text: async () => '' } });
    const answer = await fetch(`${server.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({
      status: 'not ready',
      checks: [
        { name: 'good', note: 'worth knowing' },
        { name: 'hanging', fault: 'could not be checked within 50 ms' },
        { name: 'broken', fault: 'could not be checked: no answer' },
      ],
    });
  });

  it('stays ready when a probe that only informs hangs or fails, and says that its answer is not known', async () => {
    const probes = PROBES.map((probe) => ({ ...probe, informs: true }));
    server.show({ probes, metrics: { contentType: 'text/plain', text: async () => '' } });
    const answer = await fetch(`${server.url}/readyz`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      status: 'ok',
      checks: [
        { name: 'good', note: 'worth knowing' },
        { name: 'hanging', note: 'not known: could not be checked within 50 ms' },
        { name: 'broken', note: 'not known: could not be checked: no answer' },
      ],
    });
  });
});
