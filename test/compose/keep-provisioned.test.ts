import { pino } from 'pino';
import { expect, it } from 'vitest';
import { keepProvisioned, type NotifierHandle } from '../../src/compose/notify/notifier.ts';

it('ends when the worker stops, although Redis never answers', async () => {
  const called = Promise.withResolvers<void>();
  const notifier = {
    webhooks: { warnings: [], platform: {} },
    provision() {
      called.resolve();
      return new Promise(() => {});
    },
  } as unknown as NotifierHandle;
  const stop = new AbortController();
  const options = { log: pino({ level: 'silent' }), signal: stop.signal, recheckMs: 1_000 };
  const keeping = keepProvisioned(notifier, options);
  await called.promise;
  stop.abort();
  await expect(keeping).resolves.toBeUndefined();
});
