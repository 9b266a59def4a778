import type { DeliveryStore } from '../store/alerts/deliveries.ts';
import type { RejectedStore } from '../store/rejected.ts';
import type { ScheduleStore } from '../store/schedules.ts';
import type { TargetStore } from '../store/targets.ts';
import type { Check, Probe } from './health.ts';

/** What the probes read. */
export interface ProbedStore {
  readonly redis: { readonly status: string };
  readonly deliveries: Pick<DeliveryStore, 'openByRoute' | 'stoppedRoutes'>;
  readonly rejected: Pick<RejectedStore, 'count'>;
  readonly targets: Pick<TargetStore, 'countIncomplete'>;
  readonly schedules: Pick<ScheduleStore, 'failing'>;
  /** Stored values that could not be read: key, reason and what to do. */
  readonly unreadable: ReadonlySet<string>;
  /** Why Redis does not accept a write within so many milliseconds; `undefined` when it does. */
  probeWrite(limitMs: number): Promise<string | undefined>;
}

/** The state of the webhooks. */
export interface ProbedWebhooks {
  /** Why no alert can be delivered. */
  fault(): string | undefined;
  /** What differed on the platform at the last comparison. */
  drift(): string | undefined;
  /** Routes whose webhooks do not exist. */
  unprovisioned(): readonly string[];
}

const WRITE_LIMIT_MS = 2_000;
/** Shortest time between two counts of the alerts that wait for a stopped route. */
const COUNT_TTL_MS = 10_000;

/** The readiness probes of a worker. `redisNote` is reported with the state of Redis. */
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
    { name: 'scans', informs: true, check: async () => [await incompleteScans(store)] },
    { name: 'sources', informs: true, check: async () => [await failingSources(store)] },
    { name: 'rejected', informs: true, check: async () => [await rejectedPayloads(store)] },
    { name: 'stored values', informs: true, check: async () => [unreadableValues(store)] },
  ];
}

/** Whether Redis accepts writes. */
export function redisProbe(store: Pick<ProbedStore, 'redis' | 'probeWrite'>, note?: string): Probe {
  return { name: 'redis', check: async () => [await redisCheck(store, note)] };
}

async function redisCheck(
  { redis, probeWrite }: Pick<ProbedStore, 'redis' | 'probeWrite'>,
  note: string | undefined,
): Promise<Check> {
  const ready = redis.status === 'ready';
  const fault = ready ? await probeWrite(WRITE_LIMIT_MS) : `connection is ${redis.status}`;
  return { name: 'redis', fault, note };
}

type Waiting = ReadonlyMap<string, number>;

/**
 * One check for each route that is stopped or whose webhook is not provisioned: a fault when alerts wait for the route, and
 * a note when none do. No check for other routes.
 */
export function routeChecks(
  { redis, deliveries }: Pick<ProbedStore, 'redis' | 'deliveries'>,
  webhooks: Pick<ProbedWebhooks, 'unprovisioned' | 'fault'> | undefined,
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
    const unprovisioned = (webhooks?.unprovisioned() ?? []).filter((route) => !stoppedNames.has(route));
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
      ...unprovisioned.map((route) =>
        routeCheck(route, waiting, `its webhook is not provisioned (${webhooks?.fault() ?? 'not done yet'})`),
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

async function rejectedPayloads({ redis, rejected }: ProbedStore): Promise<Check> {
  const count = redis.status === 'ready' ? await rejected.count() : 0;
  if (count === 0) return { name: 'rejected' };
  const what = count === 1 ? '1 payload was' : `${count} payloads were`;
  return { name: 'rejected', note: `${what} rejected: \`lockhound rejected\`` };
}

async function incompleteScans({ redis, targets }: ProbedStore): Promise<Check> {
  const count = redis.status === 'ready' ? await targets.countIncomplete() : 0;
  if (count === 0) return { name: 'scans' };
  const what = count === 1 ? 'of 1 target' : `of ${count} targets`;
  return {
    name: 'scans',
    note: `the last scan ${what} was incomplete: findings that it could not check stay open`,
  };
}

/** Names the first target and its schedule: which one to look at. */
async function failingSources({ redis, schedules }: ProbedStore): Promise<Check> {
  const name = 'sources';
  const [first, ...others] = redis.status === 'ready' ? await schedules.failing() : [];
  if (first === undefined) return { name };
  const more = others.length === 0 ? '' : ` and of ${others.length} more`;
  const where = `\`lockhound schedules get ${first.schedule}\``;
  return { name, note: `the source of target ${first.target}${more} cannot be read: ${where}` };
}

function unreadableValues({ unreadable }: ProbedStore): Check {
  const name = 'stored values';
  const [first] = unreadable;
  if (first === undefined) return { name };
  const others = unreadable.size === 1 ? '' : ` (and ${unreadable.size - 1} more, see the log)`;
  return { name, note: `${first}${others}` };
}
