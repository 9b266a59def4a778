import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { Facts } from '../../model/ports/facts.ts';
import type { Resolved, ResolveOptions } from '../../model/ports/insights.ts';
import type { SeenVersions } from '../../model/ports/seen-versions.ts';
import { raceAbort } from '../../model/race-abort.ts';
import type { Resolution, VersionRecordSummary } from '../../model/scan/resolution.ts';
import { inSlices, mapInSlices } from '../../model/yielding.ts';
import type { RecordCache } from '../caching.ts';
import { countLookUps } from '../look-up-counts.ts';
import type { Eligibility, LookUp } from './eligibility.ts';
import { resolveFromFacts } from './from-facts.ts';
import { judgeMissing, type MissingFacts } from './missing-versions.ts';
import type { VersionAnswer, VersionLookUp } from './version-look-up.ts';

export interface ResolverParts extends MissingFacts {
  readonly eligibility: (locked: LockedPackage) => Eligibility;
  readonly cache: RecordCache<VersionRecordSummary>;
  readonly lookUpVersions: VersionLookUp;
  /** What the fleet knows. Unset: a run without a fleet. */
  readonly facts?: Facts<VersionRecordSummary> | undefined;
}

type Answers = Map<string, VersionAnswer>;
/** Running look-ups by key; concurrent calls share them. */
type InFlight = Map<string, Promise<Answers>>;

/**
 * The function behind `Insights.resolve`: every package gets one outcome, from the rules, the cache or the service.
 * Rejects when aborted, and when the seen versions can be neither read nor written.
 */
export function createResolver(
  parts: ResolverParts,
): (packages: readonly LockedPackage[], options: ResolveOptions) => Promise<Resolved> {
  const inFlight: InFlight = new Map();
  return async (packages, options) => {
    if (options.from === 'facts') return await resolveFromFacts(parts, packages);
    const eligibilities = await mapInSlices(packages, parts.eligibility);
    const wanted = await countByKey(eligibilities);
    const lookUps: LookUp[] = [];
    let done = packages.length;
    for (const { lookUp, count } of wanted.values()) {
      lookUps.push(lookUp);
      done -= count;
    }
    const advance = (keys: Iterable<string>) => {
      for (const key of keys) done += wanted.get(key)?.count ?? 0;
      options.progress?.(done, packages.length);
    };
    advance([]);
    const answers = await answer(parts, inFlight, lookUps, options.signal, advance);
    return await summarise(eligibilities, answers, await judgeMissing(parts, missingIn(lookUps, answers)));
  };
}

/** Answers from the cache, then from running look-ups of other callers, then from the service. */
async function answer(
  parts: ResolverParts,
  inFlight: InFlight,
  lookUps: readonly LookUp[],
  signal: AbortSignal,
  advance: (keys: Iterable<string>) => void,
): Promise<Answers> {
  const answers: Answers = new Map();
  const cached = await parts.cache.get(lookUps.map(keyOf));
  let index = 0;
  for (const { key } of lookUps) {
    const known = cached[index++];
    if (known !== undefined) answers.set(key, known);
  }
  countLookUps('version', 'cache', cached);
  advance(answers.keys());
  for (let open = unanswered(lookUps, answers); open.length > 0; open = unanswered(open, answers)) {
    signal.throwIfAborted();
    const own = open.filter(({ key }) => !inFlight.has(key));
    const running = open.filter(({ key }) => inFlight.has(key));
    const others = new Set(running.flatMap(({ key }) => inFlight.get(key) ?? []));
    const requests = own.length === 0 ? [] : [ask(parts, inFlight, own, signal, advance)];
    await collect(answers, requests, others, signal);
    advance(running.filter(({ key }) => answers.has(key)).map(keyOf));
  }
  return answers;
}

function keyOf({ key }: LookUp): string {
  return key;
}

function unanswered(lookUps: readonly LookUp[], answers: Answers): readonly LookUp[] {
  const open: LookUp[] = [];
  for (const lookUp of lookUps) if (!answers.has(lookUp.key)) open.push(lookUp);
  return open;
}

async function collect(
  answers: Answers,
  requests: readonly Promise<Answers>[],
  others: ReadonlySet<Promise<Answers>>,
  signal: AbortSignal,
): Promise<void> {
  // A look-up of another caller may be aborted; then the loop in `answer` asks again.
  const tolerated = [...others].map((other) =>
    raceAbort(
      other.catch((): Answers => new Map()),
      signal,
    ),
  );
  for (const found of await Promise.all([...requests, ...tolerated])) {
    for (const [key, value] of found) answers.set(key, value);
  }
}

function ask(
  { cache, seen, lookUpVersions }: ResolverParts,
  inFlight: InFlight,
  lookUps: readonly LookUp[],
  signal: AbortSignal,
  advance: (keys: Iterable<string>) => void,
): Promise<Answers> {
  const work = async (): Promise<Answers> => {
    const answers: Answers = new Map();
    const stored: Promise<void>[] = [];
    await lookUpVersions(lookUps, signal, (settled) => {
      for (const [{ key }, value] of settled) answers.set(key, value);
      // Stored immediately: the next attempt after an abort has less to do.
      stored.push(remember(cache, seen, settled));
      advance(settled.map(([{ key }]) => key));
    });
    await Promise.all(stored);
    return answers;
  };
  const request = work().finally(() => {
    for (const { key } of lookUps) inFlight.delete(key);
  });
  for (const { key } of lookUps) inFlight.set(key, request);
  return request;
}

/** Stores seen versions first: a cached version is not looked up again, so it would not be recorded later. */
async function remember(
  cache: ResolverParts['cache'],
  seen: SeenVersions | undefined,
  settled: readonly (readonly [LookUp, VersionAnswer])[],
): Promise<void> {
  await seen?.add(settled.flatMap(([{ key }, value]) => ('record' in value ? key : [])));
  await cache.set(settled.flatMap(([{ key }, value]) => ('error' in value ? [] : [[key, value] as const])));
}

function missingIn(lookUps: readonly LookUp[], answers: Answers): readonly LookUp[] {
  const missing: LookUp[] = [];
  for (const lookUp of lookUps) {
    const found = answers.get(lookUp.key);
    if (found !== undefined && 'missing' in found) missing.push(lookUp);
  }
  return missing;
}

async function summarise(
  eligibilities: readonly Eligibility[],
  answers: Answers,
  missing: ReadonlyMap<string, Resolution>,
): Promise<Resolved> {
  let retryable = false;
  let retryAfterMs: number | undefined;
  const resolutions: Resolution[] = [];
  for await (const slice of inSlices(eligibilities)) {
    for (const { lookUp, resolution } of slice) {
      const found = lookUp === undefined ? undefined : (missing.get(lookUp.key) ?? answers.get(lookUp.key));
      resolutions.push(lookUp === undefined ? resolution : resolutionOf(lookUp, found));
      if (found === undefined || !('error' in found)) continue;
      retryable ||= found.error.retryable;
      const waitMs = found.error.retryAfterMs;
      if (waitMs !== undefined) retryAfterMs = Math.max(retryAfterMs ?? 0, waitMs);
    }
  }
  return { resolutions, retryable, retryAfterMs };
}

function resolutionOf({ purl }: LookUp, found: VersionAnswer | Resolution | undefined): Resolution {
  if (found === undefined || 'missing' in found) {
    return { outcome: 'failed', reason: 'its look-up was not answered' };
  }
  if ('outcome' in found) return found;
  if ('record' in found) return { outcome: 'resolved', record: found.record };
  const offender = found.error.code === 'invalid' ? `${purl} is refused: ` : '';
  return { outcome: 'failed', reason: offender + found.error.message };
}

async function countByKey(
  eligibilities: readonly Eligibility[],
): Promise<Map<string, { lookUp: LookUp; count: number }>> {
  const counts = new Map<string, { lookUp: LookUp; count: number }>();
  for await (const slice of inSlices(eligibilities)) {
    for (const { lookUp } of slice) {
      if (lookUp === undefined) continue;
      const entry = counts.get(lookUp.key);
      if (entry === undefined) counts.set(lookUp.key, { lookUp, count: 1 });
      else entry.count += 1;
    }
  }
  return counts;
}
