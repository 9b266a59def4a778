import { defined } from '../model/defined.ts';
import { formatVersionKey, systemOf } from '../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import { acceptedGroups, addTo, createTally, dataLossOf } from '../model/losses/evidence.ts';
import type { Compared, Loss, Statements } from '../model/losses/statements.ts';
import { ADVISORY_STATEMENTS, compareAnswer, VERSION_STATEMENTS } from '../model/losses/statements.ts';
import type { Insights, Refreshed } from '../model/ports/insights.ts';
import type { Answer, Known, RefreshedFacts, SeenVersions } from '../model/ports/shared-state.ts';
import type { Advisory, VersionRecordSummary } from '../model/scan/inventory.ts';
import { awaitedLater } from '../model/time-limit.ts';
import { loadOrMiss } from './caching.ts';
import { InsightsError } from './errors.ts';
import { provenLosses, type Witnessing } from './losses/judge-losses.ts';
import { type Eligibility, indexKeyOf, type LookUp } from './resolve/eligibility.ts';

/** The knowledge of the fleet. */
export interface FleetFacts {
  readonly versions: RefreshedFacts<VersionRecordSummary>;
  readonly advisories: RefreshedFacts<Advisory>;
}

interface RefreshParts extends Witnessing {
  /** Unset: a run without a fleet, in which nothing is known and nothing is stored. */
  readonly facts: FleetFacts | undefined;
  readonly eligibility: (locked: LockedPackage) => Eligibility;
  readonly seen?: SeenVersions | undefined;
}

type Refresh = Pick<Insights, 'refreshVersions' | 'refreshAdvisories' | 'settleLosses'>;
type Entry<Value> = readonly [key: string, known: Known<Value>];
type Facts<Value> = RefreshedFacts<Value> | undefined;

/** Asks the service again about what the fleet knows. Scans do not wait for these requests. */
export function createRefresh({
  facts,
  seen,
  eligibility,
  lookUpVersions,
  loadAdvisory,
}: RefreshParts): Refresh {
  const witnessing = { lookUpVersions, loadAdvisory };
  return {
    async refreshVersions(packages, { signal, since }) {
      const lookUps = new Map<string, LookUp>();
      const excluded: string[] = [];
      for (const locked of packages) {
        const { lookUp } = eligibility(locked);
        const system = systemOf(locked.ecosystem);
        if (lookUp !== undefined) lookUps.set(lookUp.key, lookUp);
        else if (system !== undefined) excluded.push(formatVersionKey(indexKeyOf(locked, system)));
      }
      // The settings call them private since they were looked up.
      await facts?.versions.forgetTimes(excluded);
      const answers = await createAnswers(facts?.versions, VERSION_STATEMENTS, [...lookUps.keys()], {
        since,
        seen,
      });
      const asked = answers.due.flatMap((key) => lookUps.get(key) ?? []);
      await lookUpVersions(asked, signal, (settled) =>
        answers.add(settled.map(([{ key }, answer]) => [key, answer] as const)),
      );
      return await answers.concluded();
    },
    async refreshAdvisories(ids, { signal, since }) {
      const answers = await createAnswers(facts?.advisories, ADVISORY_STATEMENTS, ids, { since });
      const load = async (id: string): Promise<readonly [string, Answer<Advisory> | Failure]> => {
        try {
          return [id, await loadOrMiss((shared) => loadAdvisory(id, shared), signal)];
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof InsightsError) return [id, { error }];
          throw error;
        }
      };
      answers.add(await Promise.all(answers.due.map(load)));
      return await answers.concluded();
    },
    async settleLosses(losses, { signal }) {
      const versions = await doubted(facts?.versions, VERSION_STATEMENTS, losses.versions);
      const advisories = await doubted(facts?.advisories, ADVISORY_STATEMENTS, losses.advisories);
      const tally = createTally(losses.kept);
      const compared = [...versions, ...advisories].map((one) => one.compared);
      const { proven, isProven } = await provenLosses(tally, compared, witnessing, signal, (lost) =>
        acceptedGroups(lost, losses.before),
      );
      const settled = await settle(facts?.versions, VERSION_STATEMENTS, versions, isProven);
      // They were known, although a worker may have died before it recorded that.
      await seen?.add(settled.flatMap(([key, known]) => ('missing' in known ? key : [])));
      await settle(facts?.advisories, ADVISORY_STATEMENTS, advisories, isProven);
      return dataLossOf(tally, proven);
    },
  };
}

interface Doubted<Value> {
  readonly key: string;
  readonly before: Known<Value>;
  readonly answer: Answer<Value>;
  readonly compared: Compared<Value>;
}

/** Facts with doubts: a scan may have settled some of them meanwhile. */
async function doubted<Value>(
  facts: Facts<Value>,
  kind: Statements<Value>,
  keys: readonly string[],
): Promise<readonly Doubted<Value>[]> {
  const known = (await facts?.read(keys)) ?? [];
  return keys.flatMap((key, index) => {
    const before = known[index];
    if (before === undefined || !('record' in before) || before.doubted === undefined) return [];
    const { doubted: answer } = before;
    return [{ key, before, answer, compared: compareAnswer(kind, before, answer) }];
  });
}

/** Adds what is proven to the facts, and returns these. */
async function settle<Value>(
  facts: Facts<Value>,
  kind: Statements<Value>,
  losses: readonly Doubted<Value>[],
  isProven: (loss: Loss) => boolean,
): Promise<readonly Entry<Value>[]> {
  const settled = losses
    .filter(({ compared }) => compared.lost.some(isProven))
    .map(({ key, before, answer }): Entry<Value> => {
      return [key, compareAnswer(kind, before, answer, isProven).known];
    });
  if (settled.length > 0) await facts?.learn(settled, { isRefresh: true });
  return settled;
}

interface Failure {
  readonly error: InsightsError;
}

/**
 * Collects answers, which are stored page by page. A refresh that goes on after a failure does not ask again what was answered. A version
 * that a local data set does not cover has no answer; it counts as one that the service does not have unless something is known of it,
 * which stays.
 */
async function createAnswers<Value>(
  facts: Facts<Value>,
  kind: Statements<Value>,
  keys: readonly string[],
  { since, seen }: { readonly since: number; readonly seen?: SeenVersions | undefined },
) {
  const known = (await facts?.read(keys)) ?? [];
  const before = new Map(keys.map((key, index) => [key, known[index]]));
  const answeredAt = (await facts?.answeredAt(keys)) ?? [];
  const due = keys.filter((_, index) => (answeredAt[index] ?? 0) < since);
  const counts = { answered: keys.length - due.length, changed: 0, unknown: 0, failed: 0, unanswered: 0 };
  const tally = createTally();
  const lost: string[] = [];
  let uncovered = 0;
  const stored: Promise<void>[] = [];
  let reason: string | undefined;
  let retryAfterMs: number | undefined;
  const isKnown = (key: string): boolean => before.get(key) !== undefined;
  const fail = (key: string, { error }: Failure): void => {
    counts.failed += 1;
    if (error.code !== 'invalid' || isKnown(key)) counts.unanswered += 1;
    reason ??= error.message;
    if (error.retryAfterMs !== undefined) retryAfterMs = Math.max(retryAfterMs ?? 0, error.retryAfterMs);
  };
  const note = (key: string, compared: Compared<Value>): void => {
    addTo(tally, compared);
    if (compared.lost.length > 0) lost.push(key);
  };
  const learn = async (entries: readonly Entry<Value>[]): Promise<void> => {
    if (facts === undefined || entries.length === 0) return;
    const news = new Set(await facts.learn(entries, { isRefresh: true }));
    const certain = entries.filter(([key, one]) => news.has(key) && !('doubted' in one));
    counts.changed += certain.length;
    await seen?.add(certain.flatMap(([key, one]) => ('record' in one ? key : [])));
  };
  const isDue = new Set(due);
  for (const [key, one] of before) {
    if (isDue.has(key) || one === undefined) continue;
    note(key, compareAnswer(kind, one, ('doubted' in one ? one.doubted : undefined) ?? one));
  }
  return {
    due,
    add(answers: readonly (readonly [key: string, answer: Answer<Value> | Failure])[]): void {
      const found: Entry<Value>[] = [];
      if (facts !== undefined) stored.push(awaitedLater(recordUnanswered(facts, answers, isKnown)));
      for (const [key, answer] of answers) {
        if ('error' in answer) {
          if (answer.error.code !== 'uncovered' || isKnown(key)) fail(key, answer);
          else uncovered += 1;
          continue;
        }
        counts.answered += 1;
        const compared = compareAnswer(kind, before.get(key), answer);
        note(key, compared);
        if ('missing' in compared.known) counts.unknown += 1;
        found.push([key, compared.known]);
      }
      stored.push(awaitedLater(learn(found)));
    },
    async concluded(): Promise<Refreshed> {
      await Promise.all(stored);
      return {
        ...counts,
        answered: counts.answered + uncovered,
        unknown: counts.unknown + uncovered,
        ...defined({ reason, retryAfterMs }),
        lost,
        kept: Object.fromEntries(tally.kept),
      };
    },
  };
}

/** Records which look-ups of versions or advisories the service did not answer. What is known of them gets no fresher. */
export async function recordUnanswered(
  facts: Pick<RefreshedFacts<unknown>, 'notAnswered'>,
  answers: readonly (readonly [key: string, answer: object])[],
  isKnown: (key: string) => boolean = () => false,
): Promise<void> {
  const failed = answers.flatMap(([key, answer]) =>
    'error' in answer && answer.error instanceof InsightsError && isUnanswered(answer.error, isKnown(key))
      ? [{ key, reason: answer.error.message }]
      : [],
  );
  const [first] = failed;
  if (first === undefined) return;
  await facts.notAnswered(
    failed.map(({ key }) => key),
    first.reason,
  );
}

/**
 * Says whether an answer is missing. For what a local data set does not cover, no other answer is expected, and for a malformed request
 * none unless the service answered it before.
 */
function isUnanswered({ code }: InsightsError, isKnown: boolean): boolean {
  return code === 'invalid' ? isKnown : code !== 'uncovered';
}
