import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, SECRETS, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.close());

it('without a platform alerts come from the configuration: the same rendering, signature, order and retries', async () => {
  const { receiver, webhooks } = world.services;
  const room = await world.room('alone', [], { platform: false });
  receiver.faults.inject({ kind: 'answer', status: 503 }, { times: 1, when: ({ url }) => url === '/alone' });
  const worker = room.work();
  for (const [scan, lockfile] of [
    ['one', LOCKFILE],
    ['two', LOCKFILE.replace('4.17.20', '4.17.21').replace('"version": "4.17.20"', '"version": "4.17.21"')],
  ] as const) {
    await room.producer.enqueue({
      scan,
      target: { id: 'shop', labels: {} },
      lockfiles: [{ path: 'package-lock.json', content: lockfile }],
    });
    expect((await room.verdict(scan)).changes.length).toBeGreaterThan(0);
  }
  const taken = () => receiver.deliveries().filter(({ path }) => path === '/alone');
  await expect.poll(() => taken().length).toBe(2);
  const events = taken().map(({ body }) => JSON.parse(body));
  expect(events.map(({ scan }) => scan)).toEqual(['one', 'two'].map((one) => scanIdOf('shop', one)));
  expect(events[0]).toMatchObject({ schema: 'lockhound.changes/1', route: 'default', target: 'shop' });
  for (const { body, headers } of taken()) {
    expect(headers['authorization']).toBe(`Bearer ${SECRETS.alertToken}`);
    expect(new Webhook(SECRETS.signing).verify(body, headers)).toEqual(JSON.parse(body));
  }
  const shown = await room.lockhound('deliveries', '--json');
  const first = JSON.parse(shown.output).deliveries.find(
    ({ scan }: { scan: string }) => scan === scanIdOf('shop', 'one'),
  );
  expect(first).toMatchObject({ state: 'delivered', attempts: 2 });
  expect(webhooks.snapshot()).toMatchObject({ webhooks: [], variables: [] });
  await worker.stop();
  expect(worker.output()).not.toContain(SECRETS.signing);
});
