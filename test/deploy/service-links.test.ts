import { afterAll, beforeAll, describe, it } from 'vitest';
import { linksOf } from '../config/service-link-variables.ts';
import { freePort } from '../native-redis.ts';
import { createWorld, type Room, type World } from '../pipeline/world.ts';
import { until } from '../until.ts';

const PORTS = [
  { name: 'http', port: 80, protocol: 'TCP' },
  { name: 'metrics', port: 8700, protocol: 'TCP' },
] as const;

/** All variables that Kubernetes sets in the pods beside these Services. */
const LINKS: Readonly<Record<string, string>> = Object.assign(
  {},
  ...['lockhound', 'redis', 'lockhound-serve'].map((name, index) => linksOf(name, `10.96.0.${index}`, PORTS)),
);

describe('with the variables that Kubernetes sets for Services', () => {
  let world: World;
  let room: Room;
  let port: number;
  beforeAll(async () => {
    world = await createWorld();
    port = await freePort();
    room = await world.room('links', [], { platform: false, config: [`serve: { port: ${port} }`] });
  });
  afterAll(() => world?.close());

  it('a worker and the API start', async () => {
    // `worker --serve` is both in one process.
    const serving = room.startWorker(LINKS, ['--serve']);
    await until('the worker is ready', () => serving.output().includes('worker ready'));
    await until(
      'it answers',
      async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok,
    );
    await serving.kill('SIGTERM');
  });
});
