import type { DeliveryStore } from '../store/alerts/deliveries.ts';
import type { StoredFleet } from '../store/fleet/fleet.ts';
import type { Check, Probe } from './health.ts';
import { factsProblem } from './verdict/facts.ts';

/** The parts of the store that the probes read. */
export interface ProbedStore {
  readonly redis: { readonly status: string };
  readonly deliveries: Pick<DeliveryStore, 'openByRoute' | 'stoppedRoutes'>;
  /** Why Redis does not accept a write within so many milliseconds; `undefined` when it does. */
  probeWrite(limitMs: number): Promise<string | undefined>;
}

/** The state of the webhooks. */
export interface ProbedWebhooks {
  /** Why no alert can be delivered. */
  fault(): string | undefined;
  /** The difference on the platform at the last comparison, and what could not be compared. */
  drift(): string | undefined;
  /** Routes whose webhooks do not exist, with the reason. */
  unprovisioned(): readonly (readonly [route: string, reason: string])[];
}

const WRITE_LIMIT_MS = 2_000;
/** Shortest time between two counts of the alerts that wait for a stopped route. */
const COUNT_TTL_MS = 10_000;

/** The readiness probes of a worker: what keeps it from its work. `lockhound health` says the rest. `redisNote` is reported with the state of Redis. */
export function workerProbes(
  store: ProbedStore,
  webhooks: ProbedWebhooks | undefined,
  redisNote: string | undefined,
): readonly Probe[] {
  return [
    redisProbe(store, redisNote),
    {
      name: 'webhook',
      check: async () => [{ name: 'webhook', fault: webhooks?.fault(), note: webhooks?.drift() }],
    },
    { name: 'routes', check: routeChecks(store, webhooks) },
  ];
}

/** Whether Redis accepts writes. */
export function redisProbe(
  { redis, probeWrite }: Pick<ProbedStore, 'redis' | 'probeWrite'>,
  note?: string,
): Probe {
  const name = 'redis';
  const faultOf = async () =>
    redis.status === 'ready' ? await probeWrite(WRITE_LIMIT_MS) : `connection is ${redis.status}`;
  return { name, check: async () => [{ name, fault: await faultOf(), note }] };
}

type Waiting = ReadonlyMap<string, number>;

/**
 * One check for each route that is stopped or whose webhook is not provisioned: a fault when alerts wait for the route, and
 * a note when none do. No check for other routes.
 */
export function routeChecks(
  { redis, deliveries }: Pick<ProbedStore, 'redis' | 'deliveries'>,
  webhooks: Pick<ProbedWebhooks, 'unprovisioned'> | undefined,
): () => Promise<readonly Check[]> {
  let counted: { readonly at: number; readonly waiting: Promise<Waiting> } | undefined;
  const countWaiting = (): Promise<Waiting> => {
    if (counted === undefined || performance.now() - counted.at > COUNT_TTL_MS) {
      counted = { at: performance.now(), waiting: deliveries.openByRoute() };
      counted.waiting.catch(() => {
        counted = undefined;
      });
    }
    return counted.waiting;
  };
  return async () => {
    if (redis.status !== 'ready') return [];
    const stopped = await deliveries.stoppedRoutes();
    const stoppedNames = new Set(stopped.map(({ route }) => route));
    const unprovisioned = (webhooks?.unprovisioned() ?? []).filter(([route]) => !stoppedNames.has(route));
    if (stopped.length + unprovisioned.length === 0) return [];
    const waiting = await countWaiting();
    return [
      ...stopped.map(({ route, at, reason }) =>
        routeCheck(
          route,
          waiting,
          `stopped since ${at} (${reason}); \`lockhound deliveries resume ${route}\``,
        ),
      ),
      ...unprovisioned.map(([route, reason]) =>
        routeCheck(route, waiting, `its webhook is not provisioned (${reason})`),
      ),
    ];
  };
}

function routeCheck(route: string, waiting: Waiting, state: string): Check {
  const count = waiting.get(route) ?? 0;
  const name = `route ${route}`;
  if (count === 0) return { name, note: `${state}; no alert waits` };
  return { name, fault: `${state}; ${count === 1 ? '1 alert waits' : `${count} alerts wait`}` };
}

/** A note when the facts of a shard cannot be called fresh. */
export function freshnessProbe(
  shards: readonly Pick<StoredFleet, 'lastRefresh' | 'freshness'>[],
  { every, staleAfter }: { readonly every: number; readonly staleAfter: number },
  now: () => number = Date.now,
): Probe {
  const name = 'facts';
  return {
    name,
    informs: true,
    async check() {
      if (every === 0) return [{ name }];
      const limits = { staleAfterMs: staleAfter, now: now() };
      const notes = await Promise.all(
        shards.map(async (shard) =>
          factsProblem(await shard.freshness(staleAfter), await shard.lastRefresh('all'), limits),
        ),
      );
      const problem = notes.find((note) => note !== undefined);
      return [problem === undefined ? { name } : { name, note: problem.says }];
    },
  };
}
