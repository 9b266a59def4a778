import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../until.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, SECRETS, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.close());

/** An operator who changes the platform directly. */
async function edit(name: string, url: string): Promise<void> {
  const response = await fetch(
    `${world.services.webhooks.url}/api/v1/integration/webhooks/configuration/webhooks/${name}`,
    {
      method: 'PUT',
      headers: { 'SVC-API-KEY': SECRETS.apiKey, 'SVC-APPLICATION-KEY': SECRETS.applicationKey },
      body: JSON.stringify({ url }),
    },
  );
  expect(response.status).toBe(200);
}

const urlOf = (name: string) =>
  world.services.webhooks.snapshot().webhooks.find((webhook) => webhook.name === name)?.url;

/** The check of the webhook in /readyz. */
async function notes(health: string): Promise<string> {
  const answer = (await (await fetch(`${health}/readyz`)).json()) as {
    checks: readonly { readonly name: string }[];
  };
  return JSON.stringify(answer.checks.find(({ name }) => name === 'webhook'));
}

it.each(['restore', 'keep'] as const)(
  'a worker looks again, says what was changed, and does: %s',
  async (drift) => {
    const room = await world.room(`drift-${drift}`);
    const worker = room.work({
      LOCKHOUND_NOTIFY_RECHECK: '100ms',
      LOCKHOUND_NOTIFY_DRIFT: drift,
      LOCKHOUND_WORKER_HEALTH_PORT: '0',
    });
    const name = `hook-drift-${drift}`;
    const before = await until('provisioning', () => urlOf(name));
    const health = await until('ready', () => /"health":"(http[^"]+)"/.exec(worker.output())?.[1]);
    await edit(name, 'https://elsewhere.example/');
    await until('a report', () => (worker.output().includes(`drift: webhook ${name}`) ? true : undefined));
    if (drift === 'restore') {
      await until('the old URL', () => (urlOf(name) === before ? true : undefined));
      await until('a clean bill', async () => ((await notes(health)).includes('note') ? undefined : true));
    } else {
      await until('a note', async () =>
        (await notes(health)).includes(`webhook ${name} (url) kept`) ? true : undefined,
      );
      expect(urlOf(name)).toBe('https://elsewhere.example/');
    }
    expect((await fetch(`${health}/readyz`)).status).toBe(200);
    await worker.stop();
  },
);

it('one webhook that the platform refuses, and one that is invalid, hold up the alerts of their routes alone', async () => {
  const { receiver, webhooks } = world.services;
  const hook = (name: string, url = `${receiver.url}/${name}`) =>
    `{ name: ${name}, webhook: { name: ${name}, url: "${url}" } }`;
  const room = await world.room('one-route', [
    `routes: [${hook('good')}, ${hook('refused')}, ${hook('wrong', `${receiver.url}/$NOTHING`)}]`,
  ]);
  const isRefused = ({ url }: { url: string }) => url.endsWith('/refused');
  webhooks.faults.inject(
    { kind: 'answer', status: 200, body: '<!doctype html>' },
    { times: 999, when: isRefused },
  );
  const worker = room.work({ LOCKHOUND_WORKER_HEALTH_PORT: '0' });
  const health = await until('ready', () => /"health":"(http[^"]+)"/.exec(worker.output())?.[1]);
  await room.producer.enqueue({
    scan: 'one',
    target: { id: 'shop' },
    lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
  });
  const taken = (route: string) => receiver.deliveries().filter(({ path }) => path === `/${route}`).length;
  await expect.poll(() => taken('good')).toBe(1);
  const readyz = async () => JSON.stringify(await (await fetch(`${health}/readyz`)).json());
  await expect.poll(readyz).toMatch(/"route refused","fault":"[^}]*an HTML page[^}]*1 alert waits/);
  expect(await readyz()).toMatch(/"route wrong"[^}]*\$NOTHING, which is not defined[^}]*1 alert waits/);
  expect(await readyz()).toMatch(/{"name":"webhook"}/);
  const { output } = await room.lockhound('doctor');
  expect(output.match(/(?:refused|wrong).*cannot be used/g)).toHaveLength(2);
  webhooks.faults.clear();
  await expect.poll(() => taken('refused')).toBe(1);
  expect([taken('good'), taken('wrong')]).toEqual([1, 0]);
  await worker.stop();
});

it('alerts are sent by the last definition while the platform refuses everything, and the worker is ready', async () => {
  const { receiver, webhooks } = world.services;
  const room = await world.room('last-definition');
  const worker = room.work({ LOCKHOUND_NOTIFY_RECHECK: '100ms', LOCKHOUND_WORKER_HEALTH_PORT: '0' });
  const health = await until('ready', () => /"health":"(http[^"]+)"/.exec(worker.output())?.[1]);
  await until('provisioning', () => urlOf('hook-last-definition'));
  webhooks.faults.inject({ kind: 'answer', status: 403 }, { times: 999 });
  await expect.poll(() => notes(health)).toContain('route default uses its last definition');
  await room.producer.enqueue({
    scan: 'one',
    target: { id: 'shop' },
    lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
  });
  const taken = () => receiver.deliveries().filter(({ path }) => path === '/last-definition').length;
  await expect.poll(taken).toBe(1);
  expect((await fetch(`${health}/readyz`)).status).toBe(200);
  webhooks.faults.clear();
  await worker.stop();
});
