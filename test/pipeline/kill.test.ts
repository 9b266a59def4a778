import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRequest } from '../../src/embedded/faults.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

/** That of the workers that are killed: the last one takes their jobs over after so long. */
const LOCK = { LOCKHOUND_WORKER_LOCK_DURATION: '4s' };

let world: World;
let expected: readonly string[];

beforeAll(async () => {
  world = await createWorld();
  const room = await world.room('baseline');
  const worker = room.work();
  expected = await scan(room, 'baseline');
  await worker.stop();
  expect(expected.length).toBeGreaterThan(3);
  expect(alerts('baseline')).toHaveLength(1);
});

afterAll(() => world.close());

/** Enqueues a scan and waits until its alert is delivered; resolves to fingerprints and severities. */
async function scan(room: Room, name: string, whileRunning: () => Promise<void> = async () => {}) {
  await room.producer.enqueue({
    scan: name,
    target: { id: 'target' },
    lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
  });
  await whileRunning();
  const verdict = await room.verdict(name);
  await room.outcome('deliver-notification', `${name}.default`);
  return verdict.findings.map(({ fingerprint, severity }) => `${fingerprint} ${severity}`);
}

/** Deliveries to a receiver that drops repetitions by `webhook-id`. */
function alerts(name: string) {
  return world.services.receiver.deliveries().filter(({ path }) => path === `/${name}`);
}

describe('a worker killed with SIGKILL', () => {
  it('while it provisions: the next one ends with the same findings and one alert', async () => {
    const room = await world.room('provisions');
    const first = room.startWorker();
    const provisions: Arming = { at: 'webhooks', matches: ({ method }) => method === 'POST' };
    const killed = armed(provisions, () => first.child.kill('SIGKILL'));
    const findings = await scan(room, 'provisions', async () => {
      await killed;
      room.work(LOCK);
    });
    expect(findings).toEqual(expected);
    expect(alerts('provisions')).toHaveLength(1);
  });
});

describe('workers killed repeatedly', () => {
  it('during one delivery lose no alert', async () => {
    const name = 'deadly-delivery';
    const room = await world.room(name);
    const findings = await scan(room, name, async () => {
      for (let round = 0; round < 2; round += 1)
        await killedWhile(room, { at: 'receiver', matches: ({ url }) => url === `/${name}` });
      room.work(LOCK);
    });
    expect(findings).toEqual(expected);
    expect(alerts(name)).toHaveLength(1);
  });

  it('during one scan cause it to be judged without its lockfiles, which resolves nothing', async () => {
    const room = await world.room('deadly-scan');
    const first = room.work();
    await scan(room, 'before');
    await first.stop();
    // Only this package is left, and it was never looked up.
    const content = '{"lockfileVersion": 3, "packages": {"": {}, "node_modules/ms": {"version": "2.1.2"}}}';
    const lockfiles = [{ path: 'package-lock.json', content }];
    await room.producer.enqueue({ scan: 'deadly', target: { id: 'target' }, lockfiles });
    // On a busy machine a lock may expire once more than workers are killed: the scan is judged earlier then.
    const judged = room.verdict('deadly');
    for (let round = 0; round < 3; round += 1) {
      const killed = killedWhile(room, { at: 'insights', matches: ({ url }) => url.includes('purlbatch') });
      await Promise.race([killed, judged]);
    }
    room.work(LOCK);
    const verdict = await judged;
    expect(verdict.changes).toEqual([]);
    expect(verdict.gaps).toMatchObject([
      { kind: 'lockfile', subject: 'package-lock.json', reason: expect.stringContaining('workers died') },
    ]);
  });
});

/** A worker that is killed at its first request. */
async function killedWhile(room: Room, moment: Arming): Promise<void> {
  const worker = room.startWorker();
  await armed(moment, () => worker.child.kill('SIGKILL'));
}

interface Arming {
  readonly at: 'webhooks' | 'insights' | 'receiver';
  readonly matches: (request: FaultRequest) => boolean;
}

function armed({ at, matches }: Arming, strike: () => void): Promise<void> {
  return new Promise((resolve) => {
    let struck = false;
    world.services[at].faults.inject(
      { kind: 'drop' },
      {
        when: (request) => {
          if (struck || !matches(request)) return false;
          struck = true;
          strike();
          resolve();
          return true;
        },
      },
    );
  });
}
