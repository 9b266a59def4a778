import type { LoadedConfig } from '../config/load.ts';
import type { ExploitData } from '../model/exploits/exploit-data.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Cache, Inspections } from '../model/ports/shared-state.ts';
import type { Policy } from '../model/scan/policy.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import { cacheInMemory } from '../store/facts/memory-cache.ts';
import { factCache } from './fact-cache.ts';
import type { FleetStore } from './fleet-store.ts';
import { openInsightsClients, warnOnce } from './insights.ts';
import { createLogger } from './logger.ts';
import { isInspecting, suppressionsIn } from './ports.ts';
import type { Store } from './store.ts';

/** The gate judges packages before a target has them. Nothing is written to the store. */
export interface PackageGate {
  /** `seesAll`: whether answers may depend on what other targets of the fleet had. */
  insights(
    seesAll: boolean,
  ): Pick<Insights, 'resolve' | 'advisory' | 'publishedVersions' | 'releases'> &
    Pick<Insights, 'dependencies' | 'requirements'>;
  readonly policy: Policy;
  suppressions(): Promise<readonly Suppression[]>;
  exploits(): Promise<ExploitData>;
  /** The knowledge of the fleet about inspected versions. */
  readonly inspections: Pick<Inspections, 'read'>;
  /** Whether versions that the fleet does not have are inspected. */
  readonly isInspecting: boolean;
  /** Values that judgements depend on besides the fleet and the clock. While all are the same, a judgement of which nothing is unknown stays the same. */
  state(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/** Answers about packages that no target has, in memory. */
const KEPT = { maxEntries: 20_000, ttlMs: 600_000 };

/** The gate of an installation. Facts of its fleet are read where they are fresh. */
export async function openPackageGate(
  loaded: LoadedConfig,
  { shards, policy }: FleetStore,
  exploits: () => Promise<ExploitData>,
): Promise<PackageGate> {
  const [first] = shards;
  const { clientOf, close } = await openInsightsClients(loaded, {
    budget: first?.insightsBudget,
    advisoryChanges: first?.advisoryChanges,
  });
  const cache = gateCache(shards);
  const onContractProblem = warnOnce(createLogger(loaded));
  const configured = suppressionsIn(loaded);
  const ofFleet = {
    seen: {
      async has(keys: readonly string[]) {
        const all = await Promise.all(shards.map(({ seen }) => seen.has(keys)));
        return keys.map((_, index) => all.some((one) => one[index] === true));
      },
      add: async () => {},
    },
    stated: { read: firstOf(shards.map(({ facts }) => facts.versions.read)) },
  };
  const whole = clientOf(cache, { onContractProblem, ...ofFleet });
  const part = clientOf(cache, { onContractProblem });
  return {
    insights: (seesAll) => (seesAll ? whole : part),
    policy,
    exploits,
    async suppressions() {
      const added = (await first?.suppressions.effective()) ?? [];
      return [...(await configured()), ...added.map(({ suppression }) => suppression)];
    },
    inspections: { read: firstOf(shards.map(({ inspections }) => inspections.read)) },
    isInspecting: isInspecting(loaded.config),
    state: async () =>
      await Promise.all([
        exploits(),
        first?.suppressions.effective(),
        ...shards.flatMap(({ facts, inspections }) => [
          facts.versions.news(undefined).then(({ until }) => until),
          facts.advisories.news(undefined).then(({ until }) => until),
          inspections.revision(),
        ]),
      ]),
    close,
  };
}

/** The facts of the fleet as they are now, then what this process was answered before, then what all workers were. */
function gateCache(shards: readonly Store[]): Cache {
  const shared: Cache = { getMany: readsOf(shards.map(({ cache }) => cache)), setMany: async () => {} };
  const memory = cacheInMemory(shared, KEPT);
  const facts = shards.map((store) => factCache({ cache: memory, facts: store.facts }));
  return { getMany: readsOf([...facts, memory]), setMany: memory.setMany };
}

/** Reads from one cache after the other. */
function readsOf(caches: readonly Cache[]): Cache['getMany'] {
  return (kind, keys) =>
    firstOf<unknown>(
      caches.map(
        ({ getMany }) =>
          (some) =>
            getMany(kind, some),
      ),
    )(keys);
}

type Read<Value> = (keys: readonly string[]) => Promise<readonly (Value | undefined)[]>;

/** Reads from one after the other what those before do not have. */
function firstOf<Value>(reads: readonly Read<Value>[]): Read<Value> {
  return async (keys) => {
    let found: readonly (Value | undefined)[] = keys.map(() => undefined);
    for (const read of reads) {
      const open = keys.filter((_, index) => found[index] === undefined);
      const values = open.length === 0 ? [] : [...(await read(open))];
      found = found.map((one) => one ?? values.shift());
    }
    return found;
  };
}
