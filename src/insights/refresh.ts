import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { Known } from '../model/ports/cache.ts';
import type { RefreshedFacts } from '../model/ports/facts.ts';
import type { Insights, Refreshed } from '../model/ports/insights.ts';
import type { SeenVersions } from '../model/ports/seen-versions.ts';
import type { Advisory } from '../model/scan/advisory.ts';
import type { VersionRecordSummary } from '../model/scan/resolution.ts';
import { loadOrMiss } from './caching.ts';
import { InsightsError } from './errors.ts';
import type { Eligibility, LookUp } from './resolve/eligibility.ts';
import type { VersionLookUp } from './resolve/version-look-up.ts';

/** What the fleet knows. */
export interface FleetFacts {
  readonly versions: RefreshedFacts<VersionRecordSummary>;
  readonly advisories: RefreshedFacts<Advisory>;
}

interface RefreshParts {
  /** Unset: a run without a fleet, in which nothing is known and nothing is stored. */
  readonly facts: FleetFacts | undefined;
  readonly eligibility: (locked: LockedPackage) => Eligibility;
  readonly lookUpVersions: VersionLookUp;
  readonly loadAdvisory: (id: string, signal: AbortSignal) => Promise<Advisory>;
  readonly seen?: SeenVersions | undefined;
}

type Refresh = Pick<Insights, 'refreshVersions' | 'refreshAdvisories' | 'confirmLost'>;
type Answer<Value> = readonly [key: string, known: Known<Value>];
type Facts<Value> = RefreshedFacts<Value> | undefined;

/** Asks the service again about what the fleet knows. Scans do not wait for these requests. */
export function createRefresh({
  facts,
  seen,
  eligibility,
  lookUpVersions,
  loadAdvisory,
}: RefreshParts): Refresh {
  return {
    async refreshVersions(packages, { signal, since }) {
      const lookUps = new Map<string, LookUp>();
      for (const locked of packages) {
        const { lookUp } = eligibility(locked);
        if (lookUp !== undefined) lookUps.set(lookUp.key, lookUp);
      }
      const due = await uncheckedSince(facts?.versions, [...lookUps.keys()], since);
      const answers = createAnswers(facts?.versions, lookUps.size - due.length, seen);
      const asked = due.flatMap((key) => lookUps.get(key) ?? []);
      await lookUpVersions(asked, signal, (settled) =>
        answers.add(settled.map(([{ key }, answer]) => [key, answer] as const)),
      );
      return await answers.concluded();
    },
    async refreshAdvisories(ids, { signal, since }) {
      const due = await uncheckedSince(facts?.advisories, ids, since);
      const answers = createAnswers(facts?.advisories, ids.length - due.length);
      const load = async (id: string): Promise<readonly [string, Known<Advisory> | Failure]> => {
        try {
          return [id, await loadOrMiss((shared) => loadAdvisory(id, shared), signal)];
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof InsightsError) return [id, { error }];
          throw error;
        }
      };
      answers.add(await Promise.all(due.map(load)));
      return await answers.concluded();
    },
    async confirmLost({ versions, advisories }) {
      // They were known, although a worker may have died before it recorded that.
      await seen?.add(versions);
      await facts?.versions.learn(versions.map(missing), { isRefresh: true });
      await facts?.advisories.learn(advisories.map(missing), { isRefresh: true });
    },
  };
}

/** A refresh that goes on after a failure does not ask again what was answered. */
async function uncheckedSince(
  facts: Facts<unknown>,
  keys: readonly string[],
  since: number,
): Promise<readonly string[]> {
  const checked = (await facts?.checkedAt(keys)) ?? [];
  return keys.filter((_, index) => (checked[index] ?? 0) < since);
}

interface Failure {
  readonly error: InsightsError;
}

/**
 * Collects answers: records are stored page by page, misses of what was known are left to the caller. A version that a local data set
 * does not cover has no answer; it counts as one that the service does not have unless something is known of it, which stays.
 */
function createAnswers<Value>(facts: Facts<Value>, answeredBefore: number, seen?: SeenVersions) {
  const counts = { answered: answeredBefore, changed: 0, failed: 0, unanswered: 0 };
  const absent: string[] = [];
  const uncovered: (readonly [key: string, failure: Failure])[] = [];
  const stored: Promise<void>[] = [];
  let reason: string | undefined;
  let retryAfterMs: number | undefined;
  const fail = ({ error }: Failure): void => {
    counts.failed += 1;
    if (error.retryable || error.code === 'uncovered') counts.unanswered += 1;
    reason ??= error.message;
    if (error.retryAfterMs !== undefined) retryAfterMs = Math.max(retryAfterMs ?? 0, error.retryAfterMs);
  };
  const learn = async (entries: readonly Answer<Value>[]): Promise<void> => {
    if (facts === undefined || entries.length === 0) return;
    const news = await facts.learn(entries, { isRefresh: true });
    counts.changed += news.length;
    const found = new Set(entries.flatMap(([key, known]) => ('record' in known ? key : [])));
    await seen?.add(news.filter((key) => found.has(key)));
  };
  return {
    add(answers: readonly (readonly [key: string, answer: Known<Value> | Failure])[]): void {
      const found: Answer<Value>[] = [];
      for (const [key, answer] of answers) {
        if ('error' in answer) {
          if (answer.error.code === 'uncovered') uncovered.push([key, answer]);
          else fail(answer);
          continue;
        }
        counts.answered += 1;
        if ('record' in answer) found.push([key, answer]);
        else absent.push(key);
      }
      stored.push(learn(found));
    },
    async concluded(): Promise<Refreshed> {
      await Promise.all(stored);
      const known = (await facts?.read(absent)) ?? [];
      const isLost = (index: number): boolean => 'record' in (known[index] ?? {});
      const unknown = absent.filter((_, index) => !isLost(index));
      await learn(unknown.map(missing));
      const kept = (await facts?.read(uncovered.map(([key]) => key))) ?? [];
      const without = uncovered.filter((_, index) => kept[index] === undefined).length;
      for (const [index, [, failure]] of uncovered.entries()) if (kept[index] !== undefined) fail(failure);
      counts.answered += without;
      return {
        ...counts,
        unknown: unknown.length + without,
        ...(reason === undefined ? {} : { reason }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        lost: absent.filter((_, index) => isLost(index)),
      };
    },
  };
}

function missing(key: string): readonly [key: string, known: { readonly missing: true }] {
  return [key, { missing: true }];
}
