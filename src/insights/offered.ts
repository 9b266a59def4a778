import type { InsightsMethods } from '../model/api/insights-api.generated.ts';
import type { System } from '../model/lockfile/ecosystem.ts';
import { raceAbort } from '../model/time-limit.ts';
import { InsightsError } from './errors.ts';

/**
 * Runs a request for something that a service may not have. `feature`: `undefined` for what every service has. Once the service is known not to
 * have it, no request is sent, and `InsightsError` (`unsupported`) is thrown.
 */
export type Offered = <Value>(
  feature: string | undefined,
  ask: () => Promise<Value>,
  signal: AbortSignal,
) => Promise<Value>;

const FINDINGS: ReadonlySet<keyof InsightsMethods> = new Set([
  'insights.getFindings',
  'insights.getVersionFindings',
  'insights.getFindingsBatch',
]);

/** Systems whose requirements are newer than the specification. */
const NEWER_REQUIREMENTS: ReadonlySet<unknown> = new Set<System>(['CARGO', 'GO', 'PYPI']);

/** Versions in a row without requirements, after which a service that answered about none does not have them. */
const MAX_MISSES = 3;

export function hasNewerRequirements(system: System): boolean {
  return NEWER_REQUIREMENTS.has(system);
}

/** The feature of a request that a service may not have; `undefined`: every service has it. */
export function featureOf(id: keyof InsightsMethods, system: unknown): string | undefined {
  if (FINDINGS.has(id)) return 'findings';
  const isNewer = id === 'insights.getRequirements' && NEWER_REQUIREMENTS.has(system);
  return isNewer ? `requirements of ${system}` : undefined;
}

/** The error for a 404 to a feature that does not say that the version or package is what is missing. */
export function notOffered(feature: string): InsightsError {
  return new InsightsError('unsupported', `the service does not have ${feature}, so they are not known`);
}

interface State {
  /** Whether the service has the feature; absent while that is not known. */
  has?: boolean;
  misses: number;
  /** The request that finds it out. Others wait for its end, so that a service without the feature is asked once. */
  trial?: Promise<void> | undefined;
}

/** Remembers for its lifetime what a service has. Only an answer or a 404 says so: other failures leave it open. */
export function createOffered(): Offered {
  const states = new Map<string, State>();
  return async (feature, ask, signal) => {
    if (feature === undefined) return await ask();
    const state = states.get(feature) ?? { misses: 0 };
    states.set(feature, state);
    while (state.has === undefined && state.trial !== undefined) await raceAbort(state.trial, signal);
    if (state.has === false) throw notOffered(feature);
    if (state.has === true) return await ask();
    return await tryIt(state, ask);
  };
}

async function tryIt<Value>(state: State, ask: () => Promise<Value>): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<void>();
  state.trial = promise;
  try {
    const value = await ask();
    state.has = true;
    return value;
  } catch (error) {
    if (!(error instanceof InsightsError)) throw error;
    if (error.code === 'not-found') state.misses += 1;
    if (error.code === 'unsupported' || state.misses >= MAX_MISSES) state.has = false;
    throw error;
  } finally {
    state.trial = undefined;
    resolve();
  }
}
