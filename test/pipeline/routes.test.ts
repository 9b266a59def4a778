import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../src/embedded/receiver/service.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { deliverNotification } from '../../src/jobs/deliver-notification.ts';
import { followUp } from '../../src/jobs/job.ts';
import { identityOf } from '../../src/jobs/payloads/deliver-notification.ts';
import type { Ports } from '../../src/jobs/ports.ts';
import { createNotifier, type Route } from '../../src/notify/delivery/deliver.ts';
import { createRouteGate } from '../../src/notify/delivery/route-gate.ts';
import type { WebhookDefinition } from '../../src/notify/webhooks/definition.ts';
import { createDeliveryStore } from '../../src/store/alerts/deliveries.ts';
import { createKeys } from '../../src/store/keys.ts';
import { openJobOf } from '../../src/workers/flow.ts';
import { notificationOf } from '../notify/notification.ts';
import { openWorkerRoom, type WorkerRoom } from '../workers/worker-room.ts';

let room: WorkerRoom;
let receiver: Receiver;
beforeAll(async () => {
  [room, receiver] = await Promise.all([openWorkerRoom(), startReceiver()]);
});
afterAll(async () => {
  await room.close();
  await receiver.close();
});

const TARGETS = 60;
const HANG_MS = 3_000;

/** The delivery of a worker with these routes and a separate queue. */
async function startDelivery(name: string, routes: readonly string[]) {
  const bench = room.bench(name);
  const keys = createKeys(name);
  const deliveries = createDeliveryStore(room.redis, keys);
  const http = createHttpClient();
  const attempts = new Map<string, number>();
  const webhooks = routes.map((route): Route => {
    const url = `${receiver.url}/${name}/${route}`;
    const definition: WebhookDefinition = { name: route, url, headers: {}, payload: null, encodeAs: 'json' };
    return { name: route, definition: () => definition, variables: {} };
  });
  const { concurrency } = deliverNotification.limits;
  const notifier = createNotifier({
    webhooks,
    http,
    timeoutMs: HANG_MS,
    now: () => new Date(),
    recordAttempt: (route, id, attempt) => {
      attempts.set(route, (attempts.get(route) ?? 0) + 1);
      return deliveries.addAttempt(id, attempt);
    },
  });
  const ports = {
    deliveries,
    notifier: createRouteGate({ stops: deliveries, concurrency, routes: routes.length })(notifier),
  } as unknown as Ports;
  const runtime = await bench.start([deliverNotification], { ports });
  const queue = bench.queue(deliverNotification.name);
  return {
    deliveries,
    async enqueue(route: string, target: string) {
      const payload = { scan: target, target, route, requestedAt: '2026-05-01T00:00:00Z' };
      const jobs = new Map([[deliverNotification.name, deliverNotification]]);
      const open = openJobOf(jobs, followUp(deliverNotification, payload));
      const identity = identityOf(payload);
      await deliveries.file(identity, { ...notificationOf(), id: identity.id });
      await bench.openJobs.open(open);
      await queue.add(open.job, open.data, { jobId: open.id });
    },
    /** Attempts by the route that ran into the time limit. */
    endedAttempts: async (route: string) => attempts.get(route) ?? 0,
    taken: (route: string) => receiver.deliveries().filter(({ path }) => path === `/${name}/${route}`).length,
    async close() {
      await runtime.close(0);
      await http.close();
    },
  };
}

describe('a route whose receiver hangs', () => {
  it('does not block the other route, regardless of the number of waiting alerts', async () => {
    const delivery = await startDelivery('hanging', ['bad', 'good']);
    const hang = ({ url }: { url: string }) => url === '/hanging/bad';
    receiver.faults.inject({ kind: 'hang' }, { times: Number.POSITIVE_INFINITY, when: hang });
    const names = Array.from({ length: TARGETS }, (_, index) => `target-${index}`);
    await Promise.all(names.map((name) => delivery.enqueue('bad', name)));
    // The failing route now uses its whole share of deliveries.
    await expect.poll(() => receiver.attempts()).toBeGreaterThanOrEqual(12);
    await Promise.all(names.map((name) => delivery.enqueue('good', name)));
    await expect.poll(() => delivery.taken('good'), { interval: 20 }).toBe(TARGETS);
    // If they had waited for the failing route, most of its attempts would have ended by now.
    expect(await delivery.endedAttempts('bad')).toBeLessThan(TARGETS);
    expect(delivery.taken('bad')).toBe(0);
    receiver.faults.clear();
    await expect.poll(() => delivery.taken('bad'), { interval: 100 }).toBe(TARGETS);
    expect(await delivery.deliveries.list(['failed'])).toEqual([]);
    await delivery.close();
  });
});
