import type { Check } from '../server/health.ts';
import type { NotifierHandle } from './notifier.ts';
import type { Store } from './store.ts';

/** Waiting alerts are counted for this long before they are counted again: only while a route takes none. */
const COUNT_TTL_MS = 10_000;

type Waiting = ReadonlyMap<string, number>;

/**
 * One check for each route that takes no alerts, because it is stopped or because its webhook is not provisioned. It is a
 * fault when alerts wait for the route, and a note when none do. No check when all is well.
 */
export function alertChecks(
  { redis, deliveries }: Store,
  notifier: Pick<NotifierHandle, 'unprovisioned' | 'fault'> | undefined,
): () => Promise<readonly Check[]> {
  let counted: { readonly at: number; readonly waiting: Promise<Waiting> } | undefined;
  const countWaiting = (): Promise<Waiting> => {
    if (counted === undefined || performance.now() - counted.at > COUNT_TTL_MS) {
      counted = { at: performance.now(), waiting: deliveries.openByRoute() };
      // A failed count is not remembered.
      counted.waiting.catch(() => {
        counted = undefined;
      });
    }
    return counted.waiting;
  };
  return async () => {
    // Without Redis nothing is known; that is a fault of its own.
    if (redis.status !== 'ready') return [];
    const stopped = await deliveries.stoppedRoutes();
    const stoppedNames = new Set(stopped.map(({ route }) => route));
    const unprovisioned = (notifier?.unprovisioned() ?? []).filter((route) => !stoppedNames.has(route));
    if (stopped.length + unprovisioned.length === 0) return [];
    const waiting = await countWaiting();
    return [
      ...stopped.map(({ route, at, reason }) =>
        checkOf(route, waiting, `stopped since ${at} (${reason}); \`lockhound deliveries resume ${route}\``),
      ),
      ...unprovisioned.map((route) =>
        checkOf(route, waiting, `its webhook is not provisioned (${notifier?.fault() ?? 'not done yet'})`),
      ),
    ];
  };
}

function checkOf(route: string, waiting: Waiting, state: string): Check {
  const count = waiting.get(route) ?? 0;
  const name = `route ${route}`;
  if (count === 0) return { name, note: `${state}; no alert waits` };
  return { name, fault: `${state}; ${count === 1 ? '1 alert waits' : `${count} alerts wait`}` };
}
