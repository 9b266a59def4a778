import { broken, degraded, type Found, fine } from '../../model/fleet/checks.ts';
import type { RefreshRecord } from '../../model/fleet/refresh.ts';
import { type Freshness, unansweredReason } from '../../model/fleet/refresh.ts';
import { lossText } from '../../model/losses/evidence.ts';
import type { HealthFacts } from './health-facts.ts';
import { count, span } from './words.ts';

/** Are the facts about packages fresh? */
export function judgeFacts({ numbers, settings, feeds = [], now }: HealthFacts): Found {
  const unread = feedProblem(feeds, now);
  const { refreshEveryMs, staleAfterMs } = settings;
  if (refreshEveryMs === 0)
    return unread ?? fine('facts are not looked up again, because `watch.every` is 0');
  const { last, running } = numbers.refreshes.find(({ cadence }) => cadence === 'all') ?? {};
  const progress =
    running === undefined
      ? ''
      : `; a refresh is in progress (${running.done} of ${count(running.done + running.open, 'part')})`;
  const problem = factsProblem(numbers.freshness, last, { staleAfterMs, now });
  if (problem !== undefined) return { ...problem, says: `${problem.says}${progress}` };
  if (unread !== undefined) return unread;
  const { oldest } = numbers.freshness;
  const says =
    oldest === undefined
      ? 'no package of the targets is looked up'
      : `facts are fresh: the oldest answer is ${span(now - oldest)} old`;
  const { believed } = last ?? {};
  const accepted =
    believed === undefined
      ? ''
      : `; the last refresh believed that ${believed.lost} facts (${believed.of.join(', ')}) were corrected, because ${believed.by} accepted it at ${believed.at}`;
  return fine(`${says}${accepted}${progress}`);
}

/** A list that fails is read again every `data.osv.every`. */
const FEED_LATE_MS = 600_000;

function feedProblem(feeds: NonNullable<HealthFacts['feeds']>, now: number): Found | undefined {
  const late = feeds.filter(([, position]) => now - Date.parse(position?.readAt ?? '') > FEED_LATE_MS);
  const never = feeds.filter(([, position]) => position === undefined);
  const open = feeds.flatMap(([, position]) => Object.keys(position?.open ?? {}));
  const named = [
    ...late.map(([ecosystem, position]) => `${ecosystem} since ${position?.readAt}`),
    ...never.map(([ecosystem]) => `${ecosystem} at all`),
  ];
  const remedy = 'Check `data.osv.url` and the log of the workers.';
  if (named.length > 0) return degraded(`changed advisories are not followed: ${named.join(', ')}`, remedy);
  const faults = feeds.flatMap(([ecosystem, position]) =>
    position?.fault === undefined ? [] : [`${ecosystem}: ${position.fault}`],
  );
  if (faults.length > 0)
    return degraded(`a list of changed advisories cannot be right: ${faults.join('; ')}`, remedy);
  if (open.length === 0) return undefined;
  const what = count(open.length, 'changed advisory', 'changed advisories');
  return degraded(`${what} cannot be read, among them ${open[0]}`, remedy);
}

interface FactsLimits {
  /** `watch.staleAfter` in milliseconds. */
  readonly staleAfterMs: number;
  /** ms since 1970. */
  readonly now: number;
}

/** Why the facts of the fleet cannot be called fresh; `undefined` when they can. `last`: the last refresh that ended. */
export function factsProblem(
  freshness: Freshness,
  last: Pick<RefreshRecord, 'dataLoss' | 'finishedAt'> | undefined,
  { staleAfterMs, now }: FactsLimits,
): Found | undefined {
  const { oldest, stale } = freshness;
  const reason = unansweredReason(freshness, last);
  const remedy = last?.dataLoss !== undefined && reason === lossText(last.dataLoss) ? LOSS_REMEDY : REMEDY;
  const age =
    oldest === undefined
      ? 'there is no answer at all'
      : `some have no answer since ${new Date(oldest).toISOString()}, ${span(now - oldest)} ago`;
  if (stale > 0) {
    const what = `facts are out of date: ${count(stale, 'package version or advisory', 'package versions and advisories')} got no answer for ${span(staleAfterMs)}`;
    const advised =
      reason === undefined
        ? 'The refresh does not reach them: check that a worker runs, then `lockhound doctor --fix`.'
        : remedy;
    return broken(`${what}, ${age}${reason === undefined ? '' : `: ${reason}`}`, advised);
  }
  if (reason === undefined) return undefined;
  return degraded(`look-ups are not answered: ${reason}; ${age}`, remedy);
}

const LOSS_REMEDY =
  'Check what the package-insights API states, with `lockhound insights`. If it was corrected, `lockhound targets accept-corrections`; if it lost data, the next refresh repairs it.';
const REMEDY = 'Check the package-insights API with `lockhound doctor`; the next refresh repairs it.';
