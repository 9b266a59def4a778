import { isApiSystem } from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import { resolutionOfRecord } from '../../model/losses/statements.ts';
import type { Resolved, ResolveOptions } from '../../model/ports/insights.ts';
import type { Facts, Known, RefreshedFacts, SeenVersions } from '../../model/ports/shared-state.ts';
import type { Resolution, VersionRecordSummary } from '../../model/scan/inventory.ts';
import { awaitedLater, raceAbort } from '../../model/time-limit.ts';
import { inSlices, mapInSlices } from '../../model/yielding.ts';
import type { RecordCache } from '../caching.ts';
import { countLookUps } from '../look-up-counts.ts';
import { recordUnanswered } from '../refresh.ts';
import type { Eligibility, LookUp } from './eligibility.ts';
import type { VersionAnswer, VersionLookUp } from './version-look-up.ts';

export interface ResolverParts extends FactParts {
  readonly cache: RecordCache<VersionRecordSummary>;
  readonly lookUpVersions: VersionLookUp;
  readonly facts?: RefreshedFacts<VersionRecordSummary> | undefined;
}

type Settled = readonly (readonly [LookUp, VersionAnswer])[];
type Answers = Map<string, VersionAnswer>;
/** Running look-ups by key; concurrent calls share them. */
type InFlight = Map<string, Promise<Answers>>;

/** A look-up of a call. */
interface Wanted {
  readonly lookUp: LookUp;
  /** Number of packages. */
  count: number;
  answer: VersionAnswer | undefined;
}

/** The look-ups of a call by key, and for each package in turn. */
interface WantedLookUps {
  readonly byKey: ReadonlyMap<string, Wanted>;
  /** `undefined` for a package that is not looked up. */
  readonly ofPackages: readonly (Wanted | undefined)[];
}

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
    const { byKey, ofPackages } = await wantedLookUps(eligibilities);
    const wanted = [...byKey.values()];
    let done = packages.length;
    for (const { count } of wanted) done -= count;
    const advance = (settled: Iterable<Wanted>) => {
      for (const { count } of settled) done += count;
      options.progress?.(done, packages.length);
    };
    advance([]);
    await answer(parts, inFlight, { byKey, wanted }, options.signal, advance);
    const missing = await judgeMissing(parts.seen, missingIn(wanted));
    return await summarise(eligibilities, ofPackages, missing);
  };
}

/** Answers from the cache, then from running look-ups of other callers, then from the service. */
async function answer(
  parts: ResolverParts,
  inFlight: InFlight,
  { byKey, wanted }: Pick<WantedLookUps, 'byKey'> & { readonly wanted: readonly Wanted[] },
  signal: AbortSignal,
  advance: (settled: Iterable<Wanted>) => void,
): Promise<void> {
  const cached = await parts.cache.get(wanted.map(keyOf));
  let index = 0;
  for (const one of wanted) one.answer = cached[index++];
  countLookUps('version', 'cache', cached);
  let open = wanted.filter(isOpen);
  advance(open.length === 0 ? wanted : wanted.filter((one) => !isOpen(one)));
  const settle = (settled: Iterable<readonly [key: string, answer: VersionAnswer]>): Wanted[] => {
    const answered: Wanted[] = [];
    for (const [key, value] of settled) {
      const one = byKey.get(key);
      if (one === undefined || !isOpen(one)) continue;
      one.answer = value;
      answered.push(one);
    }
    return answered;
  };
  while (open.length > 0) {
    signal.throwIfAborted();
    const own = open.filter((one) => !inFlight.has(keyOf(one))).map(({ lookUp }) => lookUp);
    const running = open.flatMap((one) => inFlight.get(keyOf(one)) ?? []);
    const onSettled = (settled: Settled) => advance(settle(settled.map(([{ key }, value]) => [key, value])));
    const requests = own.length === 0 ? [] : [ask(parts, inFlight, own, signal, onSettled)];
    for (const found of await collect(requests, new Set(running), signal)) advance(settle(found));
    open = open.filter(isOpen);
  }
}

function keyOf({ lookUp }: Wanted): string {
  return lookUp.key;
}

function isOpen({ answer }: Wanted): boolean {
  return answer === undefined;
}

async function collect(
  requests: readonly Promise<Answers>[],
  others: ReadonlySet<Promise<Answers>>,
  signal: AbortSignal,
): Promise<readonly Answers[]> {
  // A look-up of another caller may be aborted; then the loop in `answer` asks again.
  const tolerated = [...others].map((other) =>
    raceAbort(
      other.catch((): Answers => new Map()),
      signal,
    ),
  );
  return await Promise.all([...requests, ...tolerated]);
}

function ask(
  { cache, facts, seen, lookUpVersions, isLocal }: ResolverParts,
  inFlight: InFlight,
  lookUps: readonly LookUp[],
  signal: AbortSignal,
  onSettled: (settled: Settled) => void,
): Promise<Answers> {
  // Local answers are at hand before anybody else could wait for them.
  const isShared = isLocal !== true;
  const work = async (): Promise<Answers> => {
    const answers: Answers = new Map();
    const stored: Promise<void>[] = [];
    await lookUpVersions(lookUps, signal, (settled) => {
      if (isShared) for (const [{ key }, value] of settled) answers.set(key, value);
      // Stored immediately: the next attempt after an abort has less to do.
      stored.push(awaitedLater(remember(cache, seen, settled)));
      const answered = settled.map(([{ key }, value]) => [key, value] as const);
      if (facts !== undefined) stored.push(awaitedLater(recordUnanswered(facts, answered)));
      onSettled(settled);
    });
    await Promise.all(stored);
    return answers;
  };
  const request = work().finally(() => {
    if (isShared) for (const { key } of lookUps) inFlight.delete(key);
  });
  if (isShared) for (const { key } of lookUps) inFlight.set(key, request);
  return request;
}

/** Stores seen versions first: a cached version is not looked up again, so it would not be recorded later. */
async function remember(
  cache: ResolverParts['cache'],
  seen: SeenVersions | undefined,
  settled: Settled,
): Promise<void> {
  await seen?.add(settled.flatMap(([{ key }, value]) => ('record' in value ? key : [])));
  await cache.set(settled.flatMap(([{ key }, value]) => ('error' in value ? [] : [[key, value] as const])));
}

function missingIn(wanted: readonly Wanted[]): readonly LookUp[] {
  const missing: LookUp[] = [];
  for (const { lookUp, answer } of wanted) {
    if (answer !== undefined && 'missing' in answer) missing.push(lookUp);
  }
  return missing;
}

async function summarise(
  eligibilities: readonly Eligibility[],
  wanted: WantedLookUps['ofPackages'],
  missing: ReadonlyMap<string, Resolution>,
): Promise<Resolved> {
  let retryable = false;
  let retryAfterMs: number | undefined;
  const resolutions: Resolution[] = [];
  for await (const slice of inSlices(eligibilities)) {
    for (const { resolution } of slice) {
      const one = wanted[resolutions.length];
      const found = one && (missing.get(one.lookUp.key) ?? one.answer);
      resolutions.push(resolution ?? resolutionOf(one?.lookUp, found));
      if (found === undefined || !('error' in found)) continue;
      retryable ||= found.error.retryable;
      const waitMs = found.error.retryAfterMs;
      if (waitMs !== undefined) retryAfterMs = Math.max(retryAfterMs ?? 0, waitMs);
    }
  }
  return { resolutions, retryable, retryAfterMs };
}

function resolutionOf(lookUp: LookUp | undefined, found: VersionAnswer | Resolution | undefined): Resolution {
  if (found === undefined || 'missing' in found) {
    return { outcome: 'failed', reason: 'its look-up was not answered' };
  }
  if ('outcome' in found) return found;
  if ('record' in found) return resolutionOfRecord(found);
  const { code, message } = found.error;
  if (code === 'uncovered') return { outcome: 'uncovered', reason: message };
  const offender = code === 'invalid' ? `${lookUp?.purl} is refused: ` : '';
  return { outcome: 'failed', reason: offender + message };
}

async function wantedLookUps(eligibilities: readonly Eligibility[]): Promise<WantedLookUps> {
  const byKey = new Map<string, Wanted>();
  const ofPackages = await mapInSlices(eligibilities, ({ lookUp }) => {
    if (lookUp === undefined) return undefined;
    const known = byKey.get(lookUp.key);
    if (known !== undefined) {
      known.count += 1;
      return known;
    }
    const wanted: Wanted = { lookUp, count: 1, answer: undefined };
    byKey.set(lookUp.key, wanted);
    return wanted;
  });
  return { byKey, ofPackages };
}

interface FactParts {
  readonly eligibility: (locked: LockedPackage) => Eligibility;
  /** Versions that the index had before. Unset: none are known. */
  readonly seen?: SeenVersions | undefined;
  /** Unset: a run without a fleet, in which nothing is known. */
  readonly facts?: Facts<VersionRecordSummary> | undefined;
  /** Whether imported advisories alone answer: nothing is stored of a version that they do not cover. Default: false. */
  readonly isLocal?: boolean | undefined;
}

const NOT_ANSWERED: Resolution = { outcome: 'failed', reason: 'the index has given no answer about it' };
const NOT_COVERED: Resolution = { outcome: 'uncovered', reason: 'imported advisories say nothing about it' };

/** One outcome for each package, in order, from what the fleet knows. Nothing is requested. */
export async function resolveFromFacts(
  parts: FactParts,
  packages: readonly LockedPackage[],
): Promise<Resolved> {
  const eligibilities = await mapInSlices(packages, parts.eligibility);
  const lookUps = eligibilities.flatMap(({ lookUp }) => lookUp ?? []);
  const known = (await parts.facts?.read(lookUps.map(({ key }) => key))) ?? [];
  const missing = await judgeMissing(parts.seen, missingAmong(lookUps, known));
  let next = 0;
  const resolutions = await mapInSlices(eligibilities, ({ lookUp, resolution }): Resolution => {
    if (lookUp === undefined) return resolution;
    const answer = known[next++];
    if (answer === undefined)
      return parts.isLocal === true || !isApiSystem(lookUp.versionKey.system) ? NOT_COVERED : NOT_ANSWERED;
    return 'record' in answer ? resolutionOfRecord(answer) : (missing.get(lookUp.key) ?? NOT_ANSWERED);
  });
  return { resolutions, retryable: resolutions.includes(NOT_ANSWERED), retryAfterMs: undefined };
}

/** Each once. */
function missingAmong(
  lookUps: readonly LookUp[],
  known: readonly (Known<VersionRecordSummary> | undefined)[],
): readonly LookUp[] {
  const missing = lookUps.filter((_, index) => 'missing' in (known[index] ?? {}));
  return [...new Map(missing.map((lookUp) => [lookUp.key, lookUp])).values()];
}

/**
 * Resolutions, by key, of look-ups for which the service has no version. `seen`: versions that the index had before; without it
 * none are known. Rejects when it cannot be read.
 */
async function judgeMissing(
  seen: SeenVersions | undefined,
  missing: readonly LookUp[],
): Promise<ReadonlyMap<string, Resolution>> {
  const before = missing.length === 0 ? [] : await seen?.has(missing.map(({ key }) => key));
  const judged = missing.map(({ key }, index): [string, Resolution] => [
    key,
    before?.[index] === true
      ? { outcome: 'missing', seenBefore: true, reason: `the index no longer has ${key}` }
      : { outcome: 'missing', reason: `the index has no ${key}` },
  ]);
  return new Map(judged);
}
