import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHealthServer } from '../../src/server/health.ts';

let server: Awaited<ReturnType<typeof startHealthServer>>;
beforeAll(async () => {
  server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    limitMs: 50,
    probes: [
      { name: 'good', check: async () => [{ name: 'good', note: 'worth knowing' }] },
      { name: 'hanging', check: () => new Promise(() => {}) },
      { name: 'broken', check: () => Promise.reject(new Error('no answer')) },
    ],
  });
});
afterAll(() => server.close());

describe('/readyz', () => {
  it('answers in time and names the probes that hang or fail', async () => {
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
});
