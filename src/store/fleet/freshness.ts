import type { IdSet } from '../../fleet/id-list.ts';
import type { Freshness } from '../../model/fleet/refresh.ts';
import type { PendingFacts } from '../../model/queue/outcome.ts';
import type { AnswerTime, createAnswerTimes } from '../facts/answer-times.ts';

type AnswerTimes = Pick<ReturnType<typeof createAnswerTimes>, 'answeredBefore' | 'oldestSince' | 'failure'>;

interface FreshnessParts {
  readonly facts: { readonly versions: AnswerTimes; readonly advisories: AnswerTimes };
  /** Returns those of the versions that a target holds. */
  readonly held: (versions: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Returns those of the advisories that a version names which a target holds. */
  readonly named: (advisories: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly affectedTargets: (facts: PendingFacts) => Promise<readonly string[]>;
  /** All package versions that targets look up. */
  readonly packages: () => Promise<IdSet>;
  readonly targetsHolding: (packages: IdSet) => Promise<readonly string[]>;
}

/** A pass over the fleet is repeated after this time at the earliest, and after this multiple of its duration. */
const REPEATED_AFTER_MS = 1_000;
const REPEATED_AFTER = 20;
/** A pass is repeated after this time at the latest: the machine may have slept during it. */
const REPEATED_WITHIN_MS = 300_000;

/**
 * Returns the function that says how fresh the facts of the fleet are (`Freshness`). While everything was answered in time, it reads
 * the oldest time alone; otherwise it passes over the fleet, and repeats what it said last for some seconds.
 */
export function createFreshness(parts: FreshnessParts) {
  const { versions, advisories } = parts.facts;
  let last:
    | { readonly staleAfterMs: number; readonly at: number; readonly until: number; readonly said: Freshness }
    | undefined;
  /** `staleAfterMs`: `watch.staleAfter`. `now`: ms since 1970. */
  return async (staleAfterMs: number, now: number = Date.now()): Promise<Freshness> => {
    const failures = await Promise.all([versions.failure(), advisories.failure()]);
    const [failure] = failures.flatMap((one) => one ?? []).toSorted((left, right) => right.at - left.at);
    const limit = now - staleAfterMs;
    const since = Math.max(limit, (failure?.at ?? 0) + 1);
    const oldest = await oldestOf(parts, 0);
    if (oldest !== undefined && oldest >= since) {
      return { oldest, stale: 0, staleTargets: new Set(), failure: undefined };
    }
    const isRecent = last !== undefined && last.at <= now && now < last.until;
    if (last !== undefined && isRecent && last.staleAfterMs === staleAfterMs) return last.said;
    const started = performance.now();
    const said =
      oldest === undefined ? await neverAnswered(parts) : await passOver(parts, { since, limit, failure });
    const spare = Math.max(REPEATED_AFTER_MS, REPEATED_AFTER * (performance.now() - started));
    last = { staleAfterMs, at: now, until: now + Math.min(spare, REPEATED_WITHIN_MS), said };
    return said;
  };
}

/** Redis has no answer about anything: it may have lost them, or the first scan has just stored the first ones. */
async function neverAnswered(parts: FreshnessParts): Promise<Freshness> {
  const { packages, targetsHolding } = parts;
  const ids = await packages();
  // A scan stores answers before its packages.
  const oldest = await oldestOf(parts, 0);
  if (oldest !== undefined) return { oldest, stale: 0, staleTargets: new Set(), failure: undefined };
  const staleTargets = new Set(await targetsHolding(ids));
  return { oldest: undefined, stale: ids.size, staleTargets, failure: undefined };
}

async function passOver(
  { facts, held, named, affectedTargets }: FreshnessParts,
  { since, limit, failure }: { readonly since: number; readonly limit: number } & Pick<Freshness, 'failure'>,
): Promise<Freshness> {
  const versions = await among(held, await facts.versions.answeredBefore(since));
  const advisories = await among(named, await facts.advisories.answeredBefore(since));
  const all = [...versions, ...advisories];
  const isStale = ({ at }: AnswerTime) => at < limit;
  const [staleVersions, staleAdvisories] = [versions.filter(isStale), advisories.filter(isStale)];
  const targets = await affectedTargets({
    versions: staleVersions.map(asFact),
    advisories: staleAdvisories.map(asFact),
  });
  const oldest = all.reduce<number | undefined>((min, { at }) => Math.min(min ?? at, at), undefined);
  return {
    oldest: oldest ?? (await oldestOf({ facts }, since)),
    stale: staleVersions.length + staleAdvisories.length,
    staleTargets: new Set(targets),
    failure: failure !== undefined && all.some(({ at }) => at <= failure.at) ? failure : undefined,
  };
}

/** Returns the times of what a target needs. Others do not count: no service answers about a withdrawn advisory. */
async function among(
  needed: FreshnessParts['held'],
  times: readonly AnswerTime[],
): Promise<readonly AnswerTime[]> {
  const keys = await needed(times.map(({ key }) => key));
  return times.filter(({ key }) => keys.has(key));
}

function asFact({ key, at }: AnswerTime) {
  return { key, changedAt: at };
}

/** The oldest time since another one. */
async function oldestOf(
  { facts }: Pick<FreshnessParts, 'facts'>,
  since: number,
): Promise<number | undefined> {
  const times = await Promise.all([facts.versions.oldestSince(since), facts.advisories.oldestSince(since)]);
  const known = times.flatMap((time) => time ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
}
