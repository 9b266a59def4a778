import type { Policy } from '../../model/scan/policy.ts';
import type { Inspection, Signal } from '../../model/signal/inspection.ts';
import type { ReleaseFacts } from '../../model/signal/release-facts.ts';
import { DETECTORS } from './catalog.ts';
import type { Trace } from './detector.ts';
import { isFix } from './fixes.ts';
import { INCIDENT_SCORE } from './score.ts';
import { suspicionOf } from './suspicion.ts';
import { spanOf } from './words.ts';

/** Targets with another digest that are remembered for one version. */
const MAX_MISMATCHES = 100;
/** Signals that report what happened once. */
const LASTING = new Set(['dependency-changed']);

/** The signals of a version, the strongest first. `before`: what an earlier inspection of the same version found. */
export function signalsOf(
  facts: ReleaseFacts,
  policy: Pick<Policy, 'minimumAge'>,
  before: Inspection | undefined,
): readonly Signal[] {
  return DETECTORS.flatMap((detector): Signal | readonly Signal[] => {
    const { signal } = detector;
    const trace = detector.detect(facts, policy);
    if (signal === 'integrity-mismatch') return mismatches(trace, facts, before);
    const known = before?.signals.find((one) => one.signal === signal);
    if (known !== undefined && signal === 'burst' && isUnseenBurst(known, trace, facts)) return known;
    if (trace !== undefined) return { signal, ...trace };
    if (known === undefined) return [];
    if (signal === 'fresh-release') return pastFreshness(known, facts);
    return LASTING.has(signal) || isUnseen(signal, facts) ? known : [];
  });
}

/** A digest is that of one target's lockfile; those of others stay as they are. */
function mismatches(
  trace: Trace | undefined,
  { target, digests }: ReleaseFacts,
  before: Inspection | undefined,
): readonly Signal[] {
  const known = before?.signals.filter(({ signal }) => signal === 'integrity-mismatch') ?? [];
  const kept = known.filter((one) => digests === undefined || one.target !== target);
  if (trace === undefined) return kept;
  const own = { signal: 'integrity-mismatch', ...trace, ...(target === undefined ? {} : { target }) };
  return [own, ...kept.slice(0, MAX_MISMATCHES)];
}

/** Whether an inspection did not gather what a signal is about: a repeated one does not see the lockfile, nor what cannot change. */
function isUnseen(signal: string, facts: ReleaseFacts): boolean {
  switch (signal) {
    case 'look-alike':
      return facts.isNewDirect !== true;
    case 'young-requirement':
      return facts.newRequirements === undefined;
    case 'scorecard-dropped':
    case 'unmaintained':
      return facts.projects === undefined;
    case 'capability-gained':
      return facts.capabilities === undefined || facts.capabilitiesBefore === undefined;
    default:
      return false;
  }
}

/** Whether the siblings of a version were not looked up again: only an explanation, or a stronger burst of its own, replaces theirs. */
function isUnseenBurst({ grade }: Signal, trace: Trace | undefined, facts: ReleaseFacts): boolean {
  return grade === 'project' && facts.siblings === undefined && trace?.grade !== 'strong' && !isFix(facts);
}

/** That the version was locked while it was fresh stays a reason among others. */
function pastFreshness(known: Signal, { key, releases, at }: ReleaseFacts): Signal {
  const publishedAt = releases.find(({ version }) => version === key.version)?.publishedAt;
  if (known.past === true || publishedAt === undefined) return known;
  return { ...known, past: true, text: `was locked within ${spanOf(at - publishedAt)} of its publication` };
}

/** Whether signals are an incident in any target. Each inspection counts the targets of one again. */
export function isIncident(found: Pick<Inspection, 'signals'>, policy: Pick<Policy, 'rules'>): boolean {
  return (suspicionOf(found, { target: '', groups: [] }, policy)?.score ?? 0) >= INCIDENT_SCORE;
}

/** Whether two inspections of a version say the same. Texts name the time that has passed, so they are not compared. */
export function saySame(before: Inspection | undefined, after: readonly Signal[]): boolean {
  const summary = (signals: readonly Signal[]) =>
    JSON.stringify(signals.map(({ signal, grade, target, past }) => [signal, grade, target, past]));
  return summary(before?.signals ?? []) === summary(after);
}
