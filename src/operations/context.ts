import type { openFleetNumbers } from '../compose/fleet-numbers.ts';
import type { FleetStore } from '../compose/fleet-store.ts';
import type { openHealth } from '../compose/health.ts';
import type { openPackageGate, PackageGate } from '../compose/package-gate.ts';
import type { Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { FleetSnapshot } from '../fleet/view/fleet-snapshot.ts';
import type { HeldPackages } from '../fleet/view/held-packages.ts';
import type { FleetNeed } from '../fleet/view/read-fleet.ts';
import type { ExploitData } from '../model/exploits/exploit-data.ts';
import { nearestNames } from '../model/nearest.ts';
import type { PageTokens } from './page-token.ts';
import type { Principal } from './principal.ts';
import { Refusal } from './refusal.ts';

export interface OperationContext {
  readonly loaded: LoadedConfig;
  /** The stores, and the errors of values that could not be read. */
  readonly fleet: FleetStore;
  /**
   * The fleet in memory. A server has all of it, and throws `Refusal` until it was read; a command reads from Redis what the question
   * needs.
   */
  readonly snapshot: (need: FleetNeed) => Promise<FleetSnapshot>;
  /** The packages of the shards, by their index. */
  readonly packages: readonly HeldPackages[];
  /** Resolves to a test of whether the last answer about a package of a target is older than `watch.staleAfter`. */
  readonly staleness: () => Promise<IsStale>;
  /** Until when `snapshot` has followed the store; ms since 1970. */
  readonly readAt: () => number;
  /** Resolves when `snapshot` has what the caller changed. */
  readonly follow: () => Promise<void>;
  /** The lists about exploitation. */
  readonly exploits: () => Promise<ExploitData>;
  /** The gate judges packages before a target has them. It is opened on first use. */
  readonly gate: { open(): Promise<PackageGate>; close(): Promise<void> };
  /** The numbers of all workers together. */
  readonly numbers: ReturnType<typeof openFleetNumbers>;
  /** The verdict on the whole deployment. */
  readonly health: ReturnType<typeof openHealth>;
  readonly tokens: PageTokens;
}

export function lazyGate(...parts: Parameters<typeof openPackageGate>): OperationContext['gate'] {
  let opened: Promise<PackageGate> | undefined;
  return {
    async open() {
      opened ??= import('../compose/package-gate.ts')
        .then((gate) => gate.openPackageGate(...parts))
        .catch((error: unknown) => {
          // Imported advisories may be readable when somebody asks again.
          opened = undefined;
          throw error;
        });
      return await opened;
    },
    close: async () => await (await opened)?.close(),
  };
}

export type IsStale = (target: { readonly target: string }) => boolean;

/** Returns a function that creates a value for each context once: what the calls of one server or command share, such as a cache. */
export function perContext<Value>(create: (context: OperationContext) => Value) {
  const known = new WeakMap<OperationContext, { readonly value: Value }>();
  return (context: OperationContext): Value => {
    const { value } = known.get(context) ?? { value: create(context) };
    known.set(context, { value });
    return value;
  };
}

/** The shard that has what all shards share: tokens, suppressions, stopped routes, and the schedules, which are the same in each. */
export function firstShard({ shards }: Pick<FleetStore, 'shards'>): Store {
  const [first] = shards;
  if (first === undefined) throw new RangeError('a Redis without shards');
  return first;
}

/** Throws `Refusal` as for a target that does not exist, so that names of other teams' targets cannot be guessed. */
export async function requireSeen(
  context: Pick<OperationContext, 'snapshot'>,
  principal: Principal,
  target: string,
): Promise<void> {
  if (!principal.sees(target)) throw await unknownTarget(context, principal, target);
}

/** Throws `Refusal` for a caller who sees some targets only, for what is about all of them. */
export function requireWholeFleet({ seesAll }: Principal): void {
  if (!seesAll) throw new Refusal(403, 'fleet-needed', 'this needs a token for all targets (`*`)');
}

export function notFound(detail: string): Refusal {
  return new Refusal(404, 'not-found', detail);
}

/** Ids in a message about an unknown target. */
const MAX_NEAREST = 3;

/** The error for a target that does not exist. On this machine it names the ids that resemble it most: that compares it with all ids. */
export async function unknownTarget(
  { snapshot }: Pick<OperationContext, 'snapshot'>,
  { via }: Principal,
  target: string,
): Promise<Refusal> {
  const unknown = `there is no target ${target}`;
  if (via !== 'machine') return new Refusal(404, 'target-unknown', unknown);
  const { targets } = await snapshot({});
  if (targets.size === 0) return nothingStored();
  const names = nearestNames(target, targets.keys(), MAX_NEAREST).join(', ');
  const hint = names === '' ? 'see `lockhound targets`' : `did you mean ${names}?`;
  return new Refusal(404, 'target-unknown', `${unknown}: ${hint}`);
}

export function nothingStored(): Refusal {
  const detail =
    'no target is stored yet: a target is stored when a worker has judged its first scan (`lockhound enqueue`)';
  return new Refusal(404, 'nothing-stored', detail);
}

/** The number of entries that an answer leaves out; absent when it has all. */
export function omitted(count: number): { readonly omitted?: number } {
  return count > 0 ? { omitted: count } : {};
}

/** The parts that the answer lacks because they cannot be read. Most reasons name targets, so they are for callers who see all of them. */
export function unreadableOf(
  { fleet }: Pick<OperationContext, 'fleet'>,
  { seesAll }: Principal,
): { readonly unreadable?: readonly string[] } {
  const unreadable = seesAll ? fleet.unreadable : fleet.away;
  return unreadable.length > 0 ? { unreadable: [...unreadable] } : {};
}
