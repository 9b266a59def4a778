import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, tooManyRequests } from '../../src/embedded/faults.ts';
import { deliverNotification } from '../../src/jobs/deliver-notification.ts';
import { sealEnvelope } from '../../src/jobs/envelope.ts';
import { followUp, jobIdOf } from '../../src/jobs/job.ts';
import { judgeScan } from '../../src/jobs/judge-scan.ts';
import { identityOf } from '../../src/jobs/payloads/deliver-notification.ts';
import type { Verdict } from '../../src/model/scan/verdict.ts';
import { openJobOf } from '../../src/workers/flow.ts';
import { changeOf, notificationOf } from '../notify/notification.ts';
import { seededRandom } from '../seeded-random.ts';
import { createWorld, type Room, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.close());

const TARGETS = 6;
const SCANS = 16;
/** Chance of each kind of failure; all of them together make 30 %. */
const CHANCE = 1 - 0.7 ** (1 / 10);

const FAILURES: readonly Fault[] = [
  { kind: 'drop' },
  { kind: 'drop-answer' },
  { kind: 'hang' },
  { kind: 'answer', status: 408 },
  { kind: 'answer', status: 425 },
  tooManyRequests(1),
  tooManyRequests('Thu, 01 Jan 1970 00:00:00 GMT'),
  { kind: 'answer', status: 500, body: 'oops' },
  { kind: 'answer', status: 502, body: '<html>bad gateway</html>' },
  { kind: 'answer', status: 503, headers: { 'retry-after': '0' } },
];

/** A judged scan without deliveries: the state after a worker died between verdict and follow-ups. */
async function judged(room: Room, queue: Queue, target: string, number: number): Promise<void> {
  const scan = `${target}.${number}`;
  const requestedAt = new Date(Date.UTC(2026, 4, 1, 0, number)).toISOString();
  const verdict: Verdict = {
    scan,
    target: { id: target, labels: {} },
    requestedAt,
    findings: [],
    changes: [changeOf(`package-${number}`)],
    gaps: [],
    complete: true,
    partial: false,
    open: { critical: 0, high: 1, medium: 0, low: 0, none: 0, unrated: 0 },
    kept: 0,
    counts: {
      lockfiles: 1,
      packages: 1,
      outcomes: { resolved: 1, missing: 0, unsupported: 0, private: 0, failed: 0, uncovered: 0 },
      severities: { critical: 0, high: 1, medium: 0, low: 0, none: 0, unrated: 0 },
      notes: 0,
    },
    superseded: false,
  };
  const payload = { scan, target, route: 'default', requestedAt };
  const next = [followUp(deliverNotification, payload)];
  const jobs = new Map([[deliverNotification.name, deliverNotification]]);
  const follows = next.map((one) => openJobOf(jobs, one));
  const identity = identityOf(payload);
  const filed = {
    ...notificationOf(verdict.changes),
    id: identity.id,
    scan,
    target: verdict.target,
    date: requestedAt,
  };
  await room.store.deliveries.file(identity, filed);
  await room.store.outcomes.save('judge-scan', scan, { result: verdict, next }, { follows });
  const judging = { scan, target: verdict.target, requestedAt, advisoryParts: 0, expansionParts: 0 };
  await queue.add('judge-scan', sealEnvelope(judgeScan, judging), { jobId: jobIdOf('judge-scan', scan) });
}

describe('96 changes to a receiver that fails 30 % of requests in every way', () => {
  it('all arrive, each applied once, in order for each target', async () => {
    const room = await world.room('unreliable', [
      'retries: { attempts: 60, firstDelay: 5ms, longestDelay: 40ms }',
      'timeout: 250ms',
    ]);
    const { receiver } = world.services;
    const draw = seededRandom(5);
    const met = new Map<Fault, number>();
    for (const fault of FAILURES) {
      const when = () => {
        const meets = draw() < CHANCE;
        if (meets) met.set(fault, (met.get(fault) ?? 0) + 1);
        return meets;
      };
      receiver.faults.inject(fault, { times: Number.POSITIVE_INFINITY, when });
    }
    const queue = new Queue('judge-scan', { connection: { url: world.redisUrl }, prefix: '{unreliable}' });
    const targets = Array.from({ length: TARGETS }, (_, index) => `target-${index}`);
    for (let number = 0; number < SCANS; number += 1) {
      await Promise.all(targets.map((target) => judged(room, queue, target, number)));
    }
    await queue.close();
    const worker = room.work();
    const arrived = () => receiver.deliveries().length;
    await expect.poll(arrived, { interval: 100 }).toBe(TARGETS * SCANS);
    const delivered = () => room.store.deliveries.list(['delivered']).then((ids) => ids.length);
    await expect.poll(delivered, { interval: 100 }).toBe(TARGETS * SCANS);
    expect(await room.store.deliveries.list(['open', 'failed'])).toEqual([]);

    const applied = receiver.deliveries();
    expect(new Set(applied.map(({ id }) => id)).size).toBe(TARGETS * SCANS);
    const inOrder = Array.from({ length: SCANS }, (_, number) => number);
    for (const target of targets) {
      const events = applied.map(({ body }) => JSON.parse(body) as { target: string; scan: string });
      const numbers = events
        .filter((event) => event.target === target)
        .map(({ scan }) => Number(scan.split('.')[1]));
      expect(numbers, target).toEqual(inOrder);
    }
    // Every kind of failure occurred, and so did answers that were lost after the alert was applied.
    expect([...met.values()].every((count) => count > 0)).toBe(true);
    expect(met.size).toBe(FAILURES.length);
    expect(receiver.attempts()).toBeGreaterThan(TARGETS * SCANS * 1.3);
    expect(applied.filter(({ taken }) => taken > 1).length).toBeGreaterThan(3);
    const [id = ''] = await room.store.deliveries.list(['delivered']);
    expect((await room.store.deliveries.attempts(id)).at(-1)).toMatchObject({ status: 200 });
    await worker.stop();
  });
});
