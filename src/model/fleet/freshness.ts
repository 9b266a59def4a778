import { z } from 'zod';
import { lossText } from '../losses/evidence.ts';
import type { ValueOf } from '../stored/value-of.ts';
import type { RefreshRecord } from './refresh.ts';

/** The last look-up that the service did not answer. */
export type LookUpFailure = ValueOf<typeof lookUpFailureSchema>;

export const lookUpFailureSchema = z.object({
  /** ms since 1970. */
  at: z.number(),
  reason: z.string(),
});

/**
 * How fresh is what is known of the fleet: the age of the last answer about each package version that a target holds, and about each
 * advisory. Nothing else makes it fresh: no refresh that ended, and no scan that was requested.
 */
export interface Freshness {
  /**
   * The time of the oldest of these answers, ms since 1970. For what was never answered, the time of the first look-up counts.
   * `undefined` when nothing was ever looked up.
   */
  readonly oldest: number | undefined;
  /** The number of versions and advisories whose last answer is older than `watch.staleAfter`. */
  readonly stale: number;
  /** The targets that hold them. */
  readonly staleTargets: ReadonlySet<string>;
  /** The last failed look-up; `undefined` when everything was answered since then. */
  readonly failure: LookUpFailure | undefined;
}

/**
 * Why the service has not answered about everything: the failed look-up or the loss of data, whichever is later; `undefined` when neither
 * is known. `last`: the last refresh that ended.
 */
export function unansweredReason(
  { failure }: Pick<Freshness, 'failure'>,
  last: Pick<RefreshRecord, 'dataLoss' | 'finishedAt'> | undefined,
): string | undefined {
  const { dataLoss, finishedAt = '' } = last ?? {};
  if (dataLoss === undefined || (failure !== undefined && failure.at > Date.parse(finishedAt))) {
    return failure?.reason;
  }
  return lossText(dataLoss);
}

/** The freshness of several shards together. */
export function joinFreshness(shards: readonly Freshness[]): Freshness {
  const times = shards.flatMap(({ oldest }) => oldest ?? []);
  const failures = shards.flatMap(({ failure }) => failure ?? []);
  return {
    oldest: times.length === 0 ? undefined : Math.min(...times),
    stale: shards.reduce((sum, { stale }) => sum + stale, 0),
    staleTargets: new Set(shards.flatMap(({ staleTargets }) => [...staleTargets])),
    failure: failures.toSorted((left, right) => right.at - left.at)[0],
  };
}
