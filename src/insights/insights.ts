import pLimit from 'p-limit';
import type { ApiClient } from '../discovery/client.ts';
import type { Known } from '../model/ports/cache.ts';
import type { Insights } from '../model/ports/insights.ts';
import { formatVersionKey } from '../model/scan/version-key.ts';
import { CACHED_ADVISORY, CACHED_DEPENDENCIES, CACHED_VERSION } from '../model/stored/catalog.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import { answerOf, type ContractProblem } from './answered.ts';
import { type CachePolicy, createRecordCache, type RecordCache } from './caching.ts';
import { type Coalescer, createCoalescer } from './coalesce.ts';
import { InsightsError } from './errors.ts';
import { getAdvisory, getDependencies } from './operations.ts';
import { readAdvisory } from './records/advisory.ts';
import { readDependencyGraph } from './records/dependency-graph.ts';
import { hasFacts } from './request/rules.ts';
import { createEligibility, type Privacy } from './resolve/eligibility.ts';
import type { MissingFacts } from './resolve/missing-versions.ts';
import { createResolver } from './resolve/resolve.ts';
import { createVersionLookUp } from './resolve/version-look-up.ts';
import { createInsightsService } from './service.ts';

export interface InsightsOptions extends CachePolicy, Partial<Privacy>, MissingFacts {
  /** Read-only client of `apis/insights.v3alpha.json`. */
  readonly api: ApiClient;
  /** The number of concurrent requests. */
  readonly concurrency?: number;
  /**
   * Called for each part of an answer that does not fit its description; the rest is used. `subject`: what was
   * requested.
   */
  readonly onContractProblem?: (problem: ContractProblem, subject: string) => void;
}

export function createInsights(options: InsightsOptions): Insights {
  const {
    api,
    privatePatterns = [],
    mirrors = [],
    concurrency = 25,
    onContractProblem,
    seen,
    covers,
  } = options;
  const service = createInsightsService(api);
  const limit = pLimit(concurrency);
  const advisories = createLoader(CACHED_ADVISORY, options);
  const graphs = createLoader(CACHED_DEPENDENCIES, options);
  return {
    resolve: createResolver({
      eligibility: createEligibility({ privatePatterns, mirrors }),
      cache: createRecordCache(CACHED_VERSION, options),
      seen,
      covers,
      lookUpVersions: createVersionLookUp({ service, limit, onContractProblem }),
    }),
    advisory: (id, signal) =>
      advisories(id, signal, (shared) =>
        limit(async () => {
          const answer = answerOf(await getAdvisory(service, id, { signal: shared }));
          for (const problem of answer.problems) onContractProblem?.(problem, `advisory ${id}`);
          return readAdvisory(answer, id);
        }),
      ),
    async dependencies(key, signal) {
      if (!hasFacts('dependencies', key.system)) return undefined;
      const name = formatVersionKey(key);
      return graphs(name, signal, (shared) =>
        limit(async () =>
          readDependencyGraph(answerOf(await getDependencies(service, key, { signal: shared }))),
        ),
      );
    },
  };
}

/** Returns one record: from the cache, a running request or the service. */
type Loader<Value> = (
  key: string,
  signal: AbortSignal,
  load: (signal: AbortSignal) => Promise<Value>,
) => Promise<Value | undefined>;

function createLoader<Value>(kind: StoredKind<Known<Value>>, policy: CachePolicy): Loader<Value> {
  const cache: RecordCache<Value> = createRecordCache(kind, policy);
  const coalesce: Coalescer<Known<Value>> = createCoalescer();
  return async (key, signal, load) => {
    const known = await coalesce(key, signal, async (shared) => {
      const [cached] = await cache.get([key]);
      if (cached !== undefined) return cached;
      const loaded = await loadOrMiss(load, shared);
      await cache.set([[key, loaded]]);
      return loaded;
    });
    return 'record' in known ? known.record : undefined;
  };
}

async function loadOrMiss<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
): Promise<Known<Value>> {
  try {
    return { record: await load(signal) };
  } catch (error) {
    if (error instanceof InsightsError && error.code === 'not-found') return { missing: true };
    throw error;
  }
}
