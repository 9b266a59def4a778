import { defined } from '../../model/defined.ts';
import type { Policy } from '../../model/scan/policy.ts';
import type { Inspection, Signal } from '../../model/signal/inspection.ts';
import type { NewRequirement, ReleaseFacts } from '../../model/signal/release-facts.ts';
import { DETECTORS } from './catalog.ts';
import { inputsOf, isFix, lostInputs, spanOf, type Trace } from './detector.ts';
import { INCIDENT_SCORE, suspicionOf } from './suspicion.ts';
import { isAddress } from './young-requirement.ts';

/** Targets with another digest that are remembered for one version. */
const MAX_MISMATCHES = 100;

/**
 * The signals of a version, the strongest first. `before`: what an earlier inspection of the same version found. A signal whose facts are
 * not known keeps its value; only facts resolve it.
 */
export function signalsOf(
  facts: ReleaseFacts,
  policy: Pick<Policy, 'minimumAge'>,
  before: Inspection | undefined,
): readonly Signal[] {
  const lost = lostInputs(before?.inputs ?? {}, inputsOf(facts));
  return DETECTORS.flatMap((detector): Signal | readonly Signal[] => {
    const { name: signal, reads = [] } = detector;
    const known = before?.signals.find((one) => one.signal === signal);
    if (reads.some((fact) => lost.has(fact))) return known ?? [];
    const trace = detector.detect(facts, policy);
    if (signal === 'integrity-mismatch') return mismatches(trace, facts, before);
    if (known !== undefined && isUnseen(known, trace, facts)) return known;
    if (trace !== undefined) return { signal, ...trace };
    if (known === undefined) return [];
    return signal === 'fresh-release' ? pastFreshness(known, facts) : [];
  });
}

/** A digest is that of one target's lockfile; those of others stay as they are. */
function mismatches(
  trace: Trace | undefined,
  { target, digests }: ReleaseFacts,
  before: Inspection | undefined,
): readonly Signal[] {
  const known = before?.signals.filter(({ signal }) => signal === 'integrity-mismatch') ?? [];
  const isSeen = digests?.some(({ versions }) => versions !== undefined) === true;
  const kept = known.filter((one) => one.target !== target || (trace === undefined && !isSeen));
  if (trace === undefined) return kept;
  const own = { signal: 'integrity-mismatch', ...trace, ...defined({ target }) };
  return [own, ...kept.slice(0, MAX_MISMATCHES)];
}

/** Whether an inspection did not gather what a signal is about: a repeated one does not see the lockfile, nor what cannot change. */
function isUnseen(known: Signal, trace: Trace | undefined, facts: ReleaseFacts): boolean {
  switch (known.signal) {
    case 'dependency-changed':
      // It reports what happened once.
      return trace === undefined;
    case 'index-finding':
      return facts.serviceFindings === undefined;
    case 'look-alike':
      return facts.isNewDirect !== true || (trace === undefined && !isLikenessKnown(facts));
    case 'young-requirement':
      return (
        facts.newRequirements === undefined ||
        isWeaker(trace, known) ||
        (trace === undefined && facts.newRequirements.some(isOpen))
      );
    case 'burst':
      return (
        known.grade === 'project' &&
        facts.siblings === undefined &&
        trace?.grade !== 'strong' &&
        !isFix(facts)
      );
    case 'scorecard-dropped':
    case 'unmaintained':
      return facts.projects === undefined;
    case 'install-script':
      return facts.hasNewScript === undefined;
    case 'capability-gained':
      return facts.capabilities === undefined || facts.capabilitiesBefore === undefined;
    default:
      return !isListed(facts);
  }
}

/** Whether it was found out how much the package and those with similar names are used. */
function isLikenessKnown({ dependents, releases, similar }: ReleaseFacts): boolean {
  if (similar === undefined) return dependents !== undefined;
  return releases.length > 0 && similar.every(({ isUnknown }) => isUnknown !== true);
}

/** Whether the age of a required package could not be had. */
function isOpen(one: NewRequirement): boolean {
  return !('releases' in one) && !isAddress(one.requirement);
}

/** A version without its place in the list of its package: nothing is known of its time and of those before it. */
function isListed({ key, releases }: ReleaseFacts): boolean {
  return releases.some(({ version, publishedAt }) => version === key.version && publishedAt !== undefined);
}

/** A package that the index does not have now was younger than a week when it was required: that stays true. */
function isWeaker(trace: Trace | undefined, known: Signal): boolean {
  return trace?.grade === 'unknown' && known.grade !== 'unknown';
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
