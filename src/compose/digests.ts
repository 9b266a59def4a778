import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import type { Logger } from 'pino';
import type { NotifyConfig } from '../config/schema.ts';
import { jobIdOf } from '../jobs/contract.ts';
import { sealEnvelope } from '../jobs/envelope.ts';
import { gatherDigest } from '../jobs/gather-digest.ts';
import { messageOf } from '../model/errors.ts';
import { periodicRoutes } from './routing.ts';
import type { Store } from './store.ts';

/** Routes that have no digests any more have what still waits sent at once, asked for this often. */
const LEFT_BEHIND_MS = 60_000;
const LONGEST_SLEEP_MS = 60_000;
const AGAIN_MS = 5_000;

export interface DigestOptions {
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly now?: () => number;
}

/**
 * Asks for the digest of each periodic route whenever its time is over, until the signal aborts. Every worker does; the id
 * of the job is made of route and time, so that it is queued once. A time that nobody was there for is made up for by the
 * next: what waits is in the store.
 */
export async function scheduleDigests(
  store: Store,
  notify: NotifyConfig,
  options: DigestOptions,
): Promise<void> {
  const { log, signal, now = Date.now } = options;
  const queue = new Queue(gatherDigest.name, { connection: store.redis, prefix: store.prefix });
  queue.on('error', (error) => log.warn({ error: error.message }, 'queue connection'));
  const asked = new Map<string, string>();
  while (!signal.aborted) {
    let pause = LONGEST_SLEEP_MS;
    try {
      for (const [route, every] of await dueRoutes(store, notify)) {
        const window = new Date(Math.floor(now() / every) * every).toISOString();
        if (asked.get(route) !== window) await ask(queue, route, window);
        asked.set(route, window);
        pause = Math.min(pause, every - (now() % every) + 1);
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'digests could not be asked for; tried again');
      pause = AGAIN_MS;
    }
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
  await queue.close();
}

async function dueRoutes({ digests }: Store, notify: NotifyConfig): Promise<ReadonlyMap<string, number>> {
  const periodic = periodicRoutes(notify);
  const others = (await digests.routes()).filter((route) => !periodic.has(route));
  const waiting = await Promise.all(
    others.map(async (route) => ((await digests.read(route)).length > 0 ? [route] : [])),
  );
  return new Map([...periodic, ...waiting.flat().map((route): [string, number] => [route, LEFT_BEHIND_MS])]);
}

async function ask(queue: Queue, route: string, window: string): Promise<void> {
  const envelope = sealEnvelope(gatherDigest, { route, window });
  await queue.add(gatherDigest.name, envelope, { jobId: jobIdOf(gatherDigest.name, envelope.key) });
}
