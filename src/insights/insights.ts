import pLimit, { type LimitFunction } from 'p-limit';
import type { ApiClient } from '../discovery/client.ts';
import { defined } from '../model/defined.ts';
import { formatVersionKey, isApiSystem } from '../model/lockfile/ecosystem.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Answer, Facts, Known, SeenVersions } from '../model/ports/shared-state.ts';
import type { Advisory, VersionRecordSummary } from '../model/scan/inventory.ts';
import {
  CACHED_ADVISORY,
  CACHED_DEPENDENCIES,
  CACHED_IMAGE_REPOSITORIES,
  CACHED_PUBLISHED_VERSIONS,
  CACHED_VERSION,
} from '../model/stored/catalog.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import { raceAbort } from '../model/time-limit.ts';
import { answerOf, type ContractProblem } from './answered.ts';
import { findBase } from './base-image.ts';
import { type CachePolicy, createRecordCache, loadOrMiss, type RecordCache } from './caching.ts';
import { createGate, type Gate } from './gate.ts';
import { type FromImports, importedAdvisory, withImported } from './imported.ts';
import { countedVersions, countLookUps } from './look-up-counts.ts';
import { guardedAnswer, guardedLookUp } from './losses/guarded-look-up.ts';
import { createOffered, hasNewerRequirements, type Offered } from './offered.ts';
import {
  getAdvisory,
  getDependencies,
  getPackage,
  getRequirements,
  queryContainerImages,
} from './operations.ts';
import { readAdvisory } from './records/advisory.ts';
import { readDeclared, readDependencyGraph } from './records/dependencies.ts';
import { requireGraph, requirePackage } from './records/subject.ts';
import { PACKAGE_FIELDS, readPublishedVersions } from './records/version-record.ts';
import { createRefresh, type FleetFacts } from './refresh.ts';
import { createReleases } from './releases/releases.ts';
import { hasFacts } from './request/params.ts';
import { createEligibility, type Privacy } from './resolve/eligibility.ts';
import { createPlainVersions } from './resolve/plain-versions.ts';
import { createResolver } from './resolve/resolve.ts';
import { createVersionLookUp } from './resolve/version-look-up.ts';
import { createInsightsService } from './service.ts';

export interface InsightsOptions extends CachePolicy, Partial<Privacy>, FromImports {
  /** Read-only client of `apis/insights.v3alpha.json`. */
  readonly api: ApiClient;
  readonly concurrency?: number;
  /** Limits the requests of several clients together, in place of `concurrency`. */
  readonly limit?: LimitFunction;
  /** Versions that the index had before. Unset: none are known. */
  readonly seen?: SeenVersions | undefined;
  /** Keeps the requests of several clients together from a service that fails. Default: a gate of this client. */
  readonly gate?: Gate;
  /** The known features of the service, for several clients together. Default: that of this client. */
  readonly offered?: Offered;
  /** The knowledge of the fleet. The cache adds every answer of the service. Unset: a run without a fleet. */
  readonly facts?: FleetFacts | undefined;
  /** The knowledge about versions in a run without a fleet: from an earlier report. */
  readonly stated?: Pick<Facts<VersionRecordSummary>, 'read'> | undefined;
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
    limit = pLimit(concurrency),
    onContractProblem,
    seen,
    facts,
    stated,
    imported,
    isLocal,
  } = options;
  const service = createInsightsService(api, {
    gate: options.gate ?? createGate(),
    offered: options.offered ?? createOffered(),
  });
  const cacheOf = <Value>(kind: StoredKind<Known<Value>>) => createRecordCache(kind, options);
  const advisoryCache = cacheOf(CACHED_ADVISORY);
  const advisories = createLoader(CACHED_ADVISORY, advisoryCache);
  const graphs = createLoader(CACHED_DEPENDENCIES, cacheOf(CACHED_DEPENDENCIES));
  const versionLists = createLoader(CACHED_PUBLISHED_VERSIONS, cacheOf(CACHED_PUBLISHED_VERSIONS));
  const imageRepositories = createLoader(CACHED_IMAGE_REPOSITORIES, cacheOf(CACHED_IMAGE_REPOSITORIES));
  const parts = {
    eligibility: createEligibility({ privatePatterns, mirrors, hasImports: imported !== undefined }),
    seen,
  };
  const lookUpVersions = countedVersions(
    withImported(createVersionLookUp({ service, limit, onContractProblem }), options),
  );
  const loadAdvisory = (id: string, signal: AbortSignal): Promise<Advisory> =>
    limit(async () => {
      // The service that has nothing is not asked.
      const alone = isLocal === true ? await importedAdvisory(id, imported) : undefined;
      if (alone !== undefined) return alone;
      const answered = await getAdvisory(service, id, { signal });
      const own = answered.error?.code === 'not-found' ? await importedAdvisory(id, imported) : undefined;
      if (own !== undefined) return own;
      const answer = answerOf(answered);
      for (const problem of answer.problems) onContractProblem?.(problem, `advisory ${id}`);
      return await readAdvisory(answer, id);
    });
  const witnessing = { lookUpVersions, loadAdvisory };
  const isPlain = createPlainVersions({ ...parts, facts: facts?.versions });
  const resolve = createResolver({
    ...parts,
    lookUpVersions: guardedLookUp(facts?.versions ?? stated, witnessing),
    cache: cacheOf(CACHED_VERSION),
    facts: facts?.versions,
    isLocal,
  });
  return {
    ...defined({ isPlain }),
    async resolve(packages, asked) {
      const found = await resolve(packages, asked);
      return asked.from === 'facts'
        ? found
        : { ...found, ...defined({ outdated: (await imported?.())?.fault }) };
    },
    releases: createReleases(service, limit),
    ...createRefresh({ ...parts, ...witnessing, facts }),
    async cachedAdvisories(ids) {
      const cached = await advisoryCache.get(ids);
      const found = cached.filter((one) => one !== undefined && 'record' in one);
      countLookUps(CACHED_ADVISORY.kind, 'cache', found);
      return new Set(ids.filter((_, index) => 'record' in (cached[index] ?? {})));
    },
    advisory: (id, signal) =>
      advisories(id, signal, (shared) => loadAdvisory(id, shared), guardedAnswer(facts?.advisories)),
    baseImage: (layers, signal, former) => {
      const repositoriesOf = async (chainId: string) => {
        const found = await imageRepositories(chainId, signal, (shared) =>
          limit(async () => {
            const { value } = answerOf(await queryContainerImages(service, chainId, { signal: shared }));
            return { repositories: (value.results ?? []).flatMap(({ repository }) => repository ?? []) };
          }),
        );
        return found?.repositories ?? [];
      };
      return findBase(layers, repositoriesOf, former);
    },
    fixedIn: async (key) => (await imported?.())?.fixedIn(key),
    async publishedVersions(name, signal) {
      if (imported !== undefined && (isLocal === true || !isApiSystem(name.system)))
        return (await imported()).publishedVersions(name);
      return versionLists(`${name.system}:${name.name}`, signal, (shared) =>
        limit(async () => {
          const answered = await getPackage(service, name, { signal: shared, fields: PACKAGE_FIELDS });
          const answer = answerOf(answered);
          requirePackage(name, answer.value.packageKey);
          return readPublishedVersions(answer);
        }),
      );
    },
    async requirements(key, signal) {
      if (key.system !== 'NPM' && !hasNewerRequirements(key.system)) return undefined;
      const answered = await limit(() => getRequirements(service, key, { signal }));
      const isUnknown = answered.error?.code === 'unsupported' || answered.error?.code === 'not-found';
      return isUnknown ? undefined : readDeclared(answerOf(answered));
    },
    async dependencies(key, signal) {
      if (!hasFacts('dependencies', key.system)) return undefined;
      const name = formatVersionKey(key);
      return graphs(name, signal, (shared) =>
        limit(async () => {
          const answer = answerOf(await getDependencies(service, key, { signal: shared }));
          requireGraph(key, answer.value);
          return readDependencyGraph(answer);
        }),
      );
    },
  };
}

/** Returns one record: from the cache, a running request or the service. */
type Loader<Value> = (
  key: string,
  signal: AbortSignal,
  load: (signal: AbortSignal) => Promise<Value>,
  /** Compares an answer with what is known. Default: the answer is known. */
  compare?: (key: string, answer: Answer<Value>) => Promise<Known<Value>>,
) => Promise<Value | undefined>;

function createLoader<Value>(kind: StoredKind<Known<Value>>, cache: RecordCache<Value>): Loader<Value> {
  const coalesce: Coalescer<Known<Value>> = createCoalescer();
  return async (key, signal, load, compare = async (_key, answer) => answer) => {
    const known = await coalesce(key, signal, async (shared) => {
      const [cached] = await cache.get([key]);
      countLookUps(kind.kind, 'cache', [cached]);
      if (cached !== undefined) return cached;
      const loaded = await loadOrMiss(load, shared).catch((error: unknown) => {
        if (!shared.aborted) countLookUps(kind.kind, 'service', [{ error }]);
        throw error;
      });
      countLookUps(kind.kind, 'service', [loaded]);
      const known = await compare(key, loaded);
      await cache.set([[key, known]]);
      return known;
    });
    return 'record' in known ? known.record : undefined;
  };
}

/** Shares one piece of work between all callers that ask for the same key at the same time. */
export type Coalescer<Value> = (
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
) => Promise<Value>;

interface Flight<Value> {
  readonly result: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * The signal of a caller ends the wait of that caller alone, which rejects with the signal's reason. The work is aborted
 * when no caller waits for it.
 */
export function createCoalescer<Value>(): Coalescer<Value> {
  const flights = new Map<string, Flight<Value>>();
  return async (key, signal, work) => {
    signal.throwIfAborted();
    let flight = flights.get(key);
    if (flight === undefined) {
      const controller = new AbortController();
      const result = work(controller.signal);
      flight = { result, controller, waiting: 0 };
      flights.set(key, flight);
      const land = () => forget(flights, key, result);
      result.then(land, land);
    }
    const { result } = flight;
    return share(flight, signal, () => forget(flights, key, result));
  };
}

/** Removes this flight only: a later one may use the same key. */
function forget<Value>(flights: Map<string, Flight<Value>>, key: string, result: Promise<Value>): void {
  if (flights.get(key)?.result === result) flights.delete(key);
}

async function share<Value>(flight: Flight<Value>, signal: AbortSignal, abandon: () => void): Promise<Value> {
  flight.waiting += 1;
  const leave = () => {
    flight.waiting -= 1;
    if (flight.waiting > 0) return;
    abandon();
    flight.controller.abort(signal.reason);
  };
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await raceAbort(flight.result, signal);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
