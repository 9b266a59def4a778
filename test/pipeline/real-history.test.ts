import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ledger, LostPeriods, Model } from '../../simulation/oracle.ts';
import type { FaultRequest } from '../../src/embedded/faults.ts';
import { refreshDue } from '../../src/jobs/refresh/refresh-fleet.ts';
import { HAS_REDIS } from '../native-redis.ts';
import { until } from '../until.ts';
import { ADVISORY, enqueue, idle, WORSE } from './fleet.ts';
import { type ReplicatedRedis, startReplicatedRedis } from './replicated-redis.ts';
import { createWorld, type Room, type World } from './world.ts';

const TARGETS = ['one', 'three', 'two'];
const { id: ID } = ADVISORY;
/** A receiver has an alert at most so long after it was sent. */
const LONGEST_REQUEST_MS = 1_000;

/**
 * What the simulation (`docs/reliability.md`) replaces is real here: processes that get signals, a Redis with a replica, and HTTP. Faults
 * at random moments are those of the simulation.
 */
describe.skipIf(!HAS_REDIS)('a history of real workers and a real Redis', () => {
  let redis: ReplicatedRedis;
  let world: World;
  let room: Room;
  const model = new Model();
  const lost = new LostPeriods();
  beforeAll(async () => {
    redis = await startReplicatedRedis();
    world = await createWorld({ url: redis.url, close: redis.close });
    const notify = ['firstScan: all', 'retries: { attempts: 60, firstDelay: 20ms, longestDelay: 200ms }'];
    const config = ['worker: { recheck: { open: 1s, turn: 1s, held: 1s } }'];
    room = await world.room('history', notify, { config });
  });
  afterAll(() => world?.close());

  it('tells each change once: workers are killed and stopped, and a replica that lags takes over', async () => {
    publish(ADVISORY);
    // A worker dies while it provisions the webhook.
    const first = room.startWorker();
    const provisioned = met('webhooks', ({ method }) => method === 'POST');
    await scanAll('first', '2.1.3');
    await provisioned;
    await first.kill('SIGKILL');
    // The next one dies after the receiver has taken an alert, and before it has said so.
    const second = room.startWorker();
    await met('receiver', ({ url }) => url === '/history');
    await second.kill('SIGKILL');
    const stopped = room.startWorker();
    await told();

    // A worker is stopped while it waits for an answer, until another one has done what it had begun.
    publish(WORSE);
    const asked = met('insights', ({ url }) => url.includes('purlbatch'));
    await enqueue(room, refreshDue('all', new Date()));
    await asked;
    stopped.child.kill('SIGSTOP');
    const other = room.work({ LOCKHOUND_WORKER_LOCK_DURATION: '4s' });
    await told();
    stopped.child.kill('SIGCONT');

    // While an alert is sent, a replica takes over that has nothing of its scan. Connections stay with the old primary, which refuses writes.
    const delivered = met('receiver', ({ url }) => url === '/history');
    const from = Date.now();
    await redis.promote(async () => {
      await scanAll('second', '2.1.2');
      await delivered;
    });
    lost.add({ from, to: Date.now() });
    // A producer asks again for what it does not find.
    await scanAll('second', '2.1.2');
    await told();

    await scanAll('third', '2.1.3');
    await told();
    const counts = await room.store.deliveries.counts();
    expect(counts).toMatchObject({ open: 0, failed: 0 });
    expect(await stopped.kill('SIGTERM')).toBe(0);
    await other.stop();
  });

  function publish(advisory: typeof ADVISORY): void {
    world.services.insights.learnAdvisory(advisory);
    model.publish(ID, { name: 'ms', versions: ['2.1.3'], score: advisory.score ?? 0 });
  }

  /** Asks for scans of all targets, each until Redis takes it. */
  async function scanAll(name: string, version: string): Promise<void> {
    const packages = { '': { dependencies: { ms: version } }, 'node_modules/ms': { version } };
    const content = JSON.stringify({ lockfileVersion: 3, packages });
    const lockfiles = [{ path: 'package-lock.json', content }];
    for (const target of TARGETS) {
      model.lock(target, new Map([['ms', version]]));
      const request = { scan: `${name}-${target}`, target: { id: target }, lockfiles };
      await until(`Redis takes the scan ${name} of ${target}`, () =>
        room.producer.enqueue(request).then(
          () => true,
          () => false,
        ),
      );
    }
  }

  /** Resolves at the next request of this kind, whose answer is lost. */
  function met(service: 'webhooks' | 'insights' | 'receiver', matches: (request: FaultRequest) => boolean) {
    return new Promise<void>((resolve) => {
      const when = (request: FaultRequest): boolean => {
        const isMet = matches(request);
        if (isMet) resolve();
        return isMet;
      };
      world.services[service].faults.inject({ kind: 'drop-answer' }, { when });
    });
  }

  /** Resolves when the receiver knows exactly what is open, and nothing is left to do. Throws when it was told of a change twice. */
  async function told(): Promise<void> {
    const open = model.open();
    await until('the receiver knows what is open', () => differences().length === 0).catch((error: Error) => {
      throw new Error(`${error.message}: ${differences().join('; ')}`);
    });
    await until('nothing is left to do', () =>
      idle(room, 100).then(
        () => true,
        () => false,
      ),
    );
    expect([open, differences()]).toEqual([open, []]);
  }

  function differences(): readonly string[] {
    const ledger = new Ledger({ lost });
    for (const { path, body, receivedAt } of world.services.receiver.deliveries()) {
      const at = Date.parse(receivedAt);
      if (path === '/history') ledger.read(body, at, at - LONGEST_REQUEST_MS);
    }
    return ledger.differences(model.open());
  }
});
