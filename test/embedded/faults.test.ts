import { afterEach, describe, expect, it } from 'vitest';
import { startDiscoveryService } from '../../src/embedded/discovery/service.ts';
import { type FaultOptions, type FaultRule, Faults, rateLimiter } from '../../src/embedded/faults.ts';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import type { LocalService } from '../../src/embedded/loopback.ts';
import { startReceiver } from '../../src/embedded/receiver/service.ts';
import { startWebhookService } from '../../src/embedded/webhooks/service.ts';

const running: LocalService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
});

describe('rules for faults', () => {
  const meets = (rules: readonly FaultRule[], asked: readonly (readonly [string, string])[]) => {
    const faults = new Faults({ faults: rules });
    return asked.map(([method, url]) => faults.take({ method, url })?.kind ?? '-');
  };
  const gets = (count: number, url = '/a') => Array.from({ length: count }, () => ['GET', url] as const);

  it('apply to one request, or to the given number', () => {
    expect(meets([{ kind: 'drop' }], gets(3))).toEqual(['drop', '-', '-']);
    expect(meets([{ kind: 'drop', times: 2 }, { kind: 'hang' }], gets(4))).toEqual([
      ...['drop', 'drop', 'hang', '-'],
    ]);
  });

  it('apply to every nth request, without end unless a number is given', () => {
    const every = meets([{ kind: 'drop', every: 3 }], gets(9));
    expect(every).toEqual(['-', '-', 'drop', '-', '-', 'drop', '-', '-', 'drop']);
    expect(meets([{ kind: 'drop', every: 2, times: 1 }], gets(5))).toEqual(['-', 'drop', '-', '-', '-']);
  });

  it('count only requests of their method and path', () => {
    const rules = [{ kind: 'drop', method: 'post', path: '/v1/*/x.y', times: 9 } as const];
    const asked = [
      ['POST', '/v1/a/x.y'],
      ['POST', '/v1/a/b/x.y?page=2'],
      ['GET', '/v1/a/x.y'],
      ['POST', '/v1/a/xzy'],
      ['POST', '/v1/a/x.y/z'],
      ['POST', '/v0/v1/a/x.y'],
    ] as const;
    expect(meets(rules, asked)).toEqual(['drop', 'drop', '-', '-', '-', '-']);
  });
});

describe('a rate limit', () => {
  it('accepts the maximum in each period, then returns the wait', () => {
    let time = 5_000;
    const wait = rateLimiter({ requests: 2, seconds: 10 }, () => time);
    expect([wait(), wait(), wait()]).toEqual([0, 0, 10]);
    time += 7_500;
    expect(wait()).toBe(3);
    time += 2_500;
    expect([wait(), wait(), wait()]).toEqual([0, 0, 10]);
  });
});

describe('every local service', () => {
  const services: [string, (options: FaultOptions) => Promise<LocalService>, string, RegExp][] = [
    ['insights', startInsightsService, '/v3alpha/systems/NPM/packages/ms', /^Too Many Requests$/],
    ['webhooks', startWebhookService, '/', /^\{"errors":\["Too Many Requests"\]\}$/],
    [
      'discovery',
      startDiscoveryService,
      '/discovery/v1/apis',
      /^\{"error":\{.*"message":"Too Many Requests"/,
    ],
    ['receiver', startReceiver, '/hook', /^Too Many Requests$/],
  ];

  it.each(services)('%s limits its rate with its documented answer', async (_name, start, path, said) => {
    const service = await start({ rateLimit: { requests: 1, seconds: 3_600 } });
    running.push(service);
    const ask = () => fetch(service.url + path, { method: _name === 'receiver' ? 'POST' : 'GET' });
    await (await ask()).arrayBuffer();
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
    expect(await refused.text()).toMatch(said);
  });

  it.each(services)('%s applies the faults it is started with', async (name, start, path) => {
    const service = await start({ faults: [{ kind: 'answer', status: 503, body: 'later' }], latencyMs: 1 });
    running.push(service);
    const ask = () => fetch(service.url + path, { method: name === 'receiver' ? 'POST' : 'GET' });
    const first = await ask();
    expect([first.status, await first.text()]).toEqual([503, 'later']);
    expect((await ask()).status).not.toBe(503);
  });
});
