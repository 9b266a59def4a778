import { CodedError, messageOf } from '../model/errors.ts';
import type { DependencyGraph } from '../model/lockfile/dependency-graph.ts';
import type { VersionKey } from '../model/lockfile/ecosystem.ts';
import { canonicalName, formatVersionKey, publishedPackage } from '../model/lockfile/ecosystem.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { PublishedVersions, Resolution, VersionRecordSummary } from '../model/scan/inventory.ts';
import type { DeclaredRequirement } from '../model/signal/release-facts.ts';
import { type Search, unknown } from './proof.ts';

type AdviceErrorCode =
  /** The limit of requests was reached before the advice was complete. */
  | 'request-limit'
  /** The package-insights API did not answer. */
  | 'no-answer';

/** Why the advice on a package could not be computed. */
export class AdviceError extends CodedError<AdviceErrorCode> {}

/**
 * The facts that advice reads from the package-insights API. Lists and records throw `InsightsError`, and everything `AdviceError`
 * (`request-limit`).
 */
export interface AdviceFacts {
  /** `undefined` when the index does not have the package. */
  versions(key: Pick<VersionKey, 'system' | 'name'>): Promise<PublishedVersions | undefined>;
  /** The version in which OSV says that everything is fixed which affects a version; `undefined` where it does not say so. */
  fixedIn(key: VersionKey): Promise<string | undefined>;
  /** One for each key, in order; `undefined` for a version that the index does not have. */
  records(keys: readonly VersionKey[]): Promise<readonly (AdvisedRecord | undefined)[]>;
  /** The graph that a new installation of a version resolves to. It is not known when the service has none, and when a request fails. */
  graph(key: VersionKey): Promise<Search<DependencyGraph>>;
  /**
   * The requirements that a version of Cargo, Go, npm or PyPI declares. Not known as graphs are, and for a service that does not have it.
   */
  requirements(key: VersionKey): Promise<Search<readonly DeclaredRequirement[]>>;
  /** Why graphs could not be read: another time they can be. */
  failures(): readonly CodedError[];
}

/** `waitUntil`: until when the index advises to wait, RFC 3339, or why that is not known; absent when it does not. */
export type AdvisedRecord = VersionRecordSummary & {
  readonly waitUntil?: string | { readonly unknown: string };
};

/** The age up to which an index may advise to wait with a version. */
const YOUNG_MS = 60 * 24 * 3_600_000;

export interface AdviceLimits {
  readonly signal: AbortSignal;
  /** Requests of one run; a batch of records counts as one. */
  readonly maxRequests: number;
}

/** The look-ups that advice uses. */
export type AdvisedBy = Pick<
  Insights,
  'fixedIn' | 'publishedVersions' | 'resolve' | 'dependencies' | 'requirements' | 'releases'
>;

/** Reads facts through the API client. Each is read once. `learn` takes records that were read elsewhere. */
export function createAdviceFacts(
  insights: AdvisedBy,
  { signal, maxRequests }: AdviceLimits,
): AdviceFacts & { learn(resolutions: readonly Resolution[]): void } {
  const lists = new Map<string, Promise<PublishedVersions | undefined>>();
  const graphs = new Map<string, Promise<Search<DependencyGraph>>>();
  const declared = new Map<string, Promise<Search<readonly DeclaredRequirement[]>>>();
  const failures: CodedError[] = [];
  const records = new Map<string, AdvisedRecord | undefined>();
  /** The service answered these. */
  const read = new Map<string, VersionRecordSummary | undefined>();
  let requests = 0;
  const count = () => {
    requests += 1;
    if (requests <= maxRequests) return;
    throw new AdviceError('request-limit', `the limit of ${maxRequests} requests for advice is reached`);
  };
  /** A service that does not say so advises nothing. What one that failed advises is unknown. */
  const addWaits = async (names: readonly string[], now: number): Promise<void> => {
    const young = names.filter((name) => Date.parse(read.get(name)?.publishedAt ?? '') > now - YOUNG_MS);
    if (young.length > 0) count();
    const keys = young.flatMap((name) => read.get(name)?.versionKey ?? []);
    const details = keys.length === 0 ? [] : await insights.releases.details(keys, signal);
    const detailOf = new Map(young.map((name, index) => [name, details[index]]));
    for (const name of names) {
      const record = read.get(name);
      const waitUntil = waitIn(detailOf.get(name), now);
      records.set(name, record === undefined || waitUntil === undefined ? record : { ...record, waitUntil });
    }
  };
  const known = async <Found>(
    what: string,
    ask: () => Promise<Found | undefined>,
  ): Promise<Search<Found>> => {
    count();
    try {
      const found = await ask();
      return found === undefined ? unknown(`the index has no ${what}`) : { state: 'good', found };
    } catch (error) {
      if (!(error instanceof CodedError) || signal.aborted) throw error;
      // Refused every time.
      if (error.code !== 'invalid') failures.push(error);
      return unknown(`the ${what} could not be read (${messageOf(error)})`);
    }
  };
  return {
    async versions({ system, name: stated }) {
      const name = canonicalName(stated, system);
      return await once(lists, `${system}:${name}`, () => {
        count();
        return insights.publishedVersions({ system, name }, signal);
      });
    },
    fixedIn: async (key) => await insights.fixedIn?.(key),
    async records(keys) {
      const asked = keys.filter((key) => !read.has(formatVersionKey(key)));
      if (asked.length > 0) {
        count();
        const { resolutions } = await insights.resolve(asked.map(publishedPackage), { signal });
        for (const [index, key] of asked.entries()) {
          const { outcome, reason, record } = resolutions[index] ?? { outcome: 'failed' };
          if (outcome === 'failed')
            throw new AdviceError('no-answer', `${formatVersionKey(key)}: ${reason ?? 'no answer'}`);
          read.set(formatVersionKey(key), record);
        }
      }
      const names = keys.map(formatVersionKey);
      const open = names.filter((name) => !records.has(name));
      if (open.length > 0) await addWaits(open, Date.now());
      return names.map((name) => records.get(name));
    },
    learn(resolutions) {
      for (const { outcome, reason, record } of resolutions)
        if (outcome === 'resolved' && reason === undefined && record !== undefined)
          read.set(formatVersionKey(record.versionKey), record);
    },
    graph: (key) =>
      once(graphs, formatVersionKey(key), () =>
        known(`dependency graph of ${key.name} ${key.version}`, () => insights.dependencies(key, signal)),
      ),
    requirements: (key) =>
      once(declared, formatVersionKey(key), () =>
        known(`requirements of ${key.name} ${key.version}`, () => insights.requirements(key, signal)),
      ),
    failures: () => failures,
  };
}

type Detail = Awaited<ReturnType<Insights['releases']['details']>>[number];

/** Until when it advises to wait; `undefined` where it does not. */
function waitIn(detail: Detail, now: number): AdvisedRecord['waitUntil'] {
  if (detail === undefined) return undefined;
  if ('error' in detail) return { unknown: messageOf(detail.error) };
  const { cooldownEnd = 0 } = detail;
  return cooldownEnd > now ? new Date(cooldownEnd).toISOString() : undefined;
}

async function once<T>(known: Map<string, Promise<T>>, key: string, load: () => Promise<T>): Promise<T> {
  const loading = known.get(key) ?? load();
  known.set(key, loading);
  return await loading;
}
