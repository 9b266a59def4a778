import { defined } from '../../model/defined.ts';
import type { CodedError } from '../../model/errors.ts';
import { formatVersionKey, type System } from '../../model/lockfile/ecosystem.ts';
import type { Insights } from '../../model/ports/insights.ts';
import type { StoredInspection } from '../../model/ports/shared-state.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import { type Attempt, IncompleteError } from '../../scan/attempt.ts';
import type { InspectedPackage, InspectPackages } from '../payloads/inspect-packages.ts';
import { scriptSubject, subjectOf } from '../payloads/inspect-packages.ts';
import type { Ports } from '../ports.ts';
import { type Gathered, gatherFacts } from './gather.ts';
import { createProjectLookUp } from './project-scores.ts';

interface InspectionPorts extends Pick<Ports, 'inspections' | 'policy'> {
  readonly fleet: Pick<Ports['fleet'], 'affectedTargets'>;
  readonly insights: Pick<Insights, 'releases'>;
}

/** `startedAt`: ms since 1970. */
type InspectionContext = Attempt & { readonly startedAt: number };

/** The numbers of one job. `news`: versions with signals that were not known before. `unknown`: facts that could not be had. */
export type InspectionCounts = Awaited<ReturnType<typeof inspect>>;

/** When a script of a version is no longer new. */
const USUAL_MS = 14 * 24 * 3_600_000;
/**
 * Inspects package versions and stores what was found. Throws `IncompleteError` when facts may be had later; at the last attempt they
 * are gaps.
 */
export async function inspect(payload: InspectPackages, ports: InspectionPorts, context: InspectionContext) {
  const found = await gatherEntries(
    { ...payload, packages: await openPackages(payload, ports) },
    ports,
    context,
  );
  const failure = found.find(({ retryable }) => retryable !== undefined)?.retryable;
  const isFinal = failure === undefined || context.lastAttempt;
  const stored = found.filter(({ retryable }) => isFinal || retryable === undefined);
  await ports.inspections.store(stored.map(({ entry }) => entry));
  await ports.inspections.markKnown(stored.flatMap(({ subject, scripts }) => [subject, ...scripts]));
  if (!isFinal) throw partial(failure);
  return {
    inspected: found.length,
    news: found.filter(({ entry }) => entry.isNews).length,
    unknown: found.reduce((sum, { entry }) => sum + entry.inspection.unknown.length, 0),
  };
}

/** Facts that may be known later are asked for again. */
export function partial(failure: CodedError): IncompleteError {
  const { message, retryAfterMs } = failure;
  return new IncompleteError('insights-partial', message, { cause: failure, retryAfterMs });
}

export function projectOptions(
  { projects: scores }: Ports['inspections'],
  { releases }: InspectionPorts['insights'],
  signal: AbortSignal,
  at: number,
) {
  return { scores, releases, signal, at };
}

/** The packages that were not inspected since the job was requested: by an earlier attempt, or for another target. */
async function openPackages(
  { packages, requestedAt }: InspectPackages,
  { inspections }: Pick<Ports, 'inspections'>,
): Promise<InspectPackages['packages']> {
  const [known, isKnown] = await Promise.all([
    inspections.read(packages.map(formatVersionKey)),
    inspections.isKnown(packages.map(subjectOfPackage)),
  ]);
  const since = Date.parse(requestedAt);
  return packages.filter((_, index) => {
    const { inspectedAt = '', unknown = [] } = known[index] ?? {};
    return isKnown[index] !== true || unknown.length > 0 || !(Date.parse(inspectedAt) >= since);
  });
}

interface Inspected {
  readonly subject: string;
  /** The statement of the version about the scripts of its package. */
  readonly scripts: readonly string[];
  readonly entry: StoredInspection;
  readonly retryable: Gathered['retryable'];
}

async function gatherEntries(
  payload: InspectPackages,
  { fleet, insights, inspections, policy }: InspectionPorts,
  { signal, startedAt }: InspectionContext,
): Promise<readonly Inspected[]> {
  // The detectors are loaded with the first inspection: most scans from the command line have none.
  const [{ isIncident, saySame, signalsOf }, { inputsOf, mostInputs, unknownIn }] = await Promise.all([
    import('../../policy/signals/evaluate.ts'),
    import('../../policy/signals/detector.ts'),
  ]);
  const rules = policy.policy();
  const identities = payload.packages.map(formatVersionKey);
  const known = await inspections.read(identities);
  const gathered = await gatherFacts(
    payload.packages.map((one, index) => ({ package: one, before: known[index] })),
    {
      releases: insights.releases,
      signal,
      target: payload.target,
      at: startedAt,
      knowsDigests: witnessed(payload, insights, signal),
      // A run that ends with its scan knows no earlier scorecard.
      ...(inspections.mode === 'apart'
        ? { lookUpProjects: createProjectLookUp(projectOptions(inspections, insights, signal, startedAt)) }
        : {}),
    },
  );
  return await Promise.all(
    gathered.map(async ({ facts, unknown, retryable }, index): Promise<Inspected> => {
      const before = known[index];
      const identity = identities[index] ?? '';
      const signals = signalsOf(facts, rules, before);
      const found = facts.releases.find(({ version }) => version === facts.key.version)?.publishedAt;
      const publishedAt = found === undefined ? before?.publishedAt : new Date(found).toISOString();
      const isNews = !saySame(before, signals);
      const isCounted = (isNews && signals.length > 0) || isIncident({ signals }, rules);
      const targets = isCounted ? await countTargets(fleet, identity) : before?.targets;
      const inspectedAt = new Date(startedAt).toISOString();
      const inputs = inputsOf(facts);
      const notKnown = unknownIn(unknown, before?.inputs ?? {}, inputs);
      // A version without a date may be a young one.
      const isOpen = notKnown.length > 0 || publishedAt === undefined;
      const inspection: Inspection = {
        inspectedAt,
        ...defined({ publishedAt }),
        signals,
        unknown: notKnown,
        ...(isOpen ? { incompleteSince: before?.incompleteSince ?? inspectedAt } : {}),
        inputs: mostInputs(before?.inputs ?? {}, inputs),
        // What a version requires is known until an inspection reads it anew.
        ...defined({ targets, requirements: facts.requirements ?? before?.requirements }),
      };
      const againAt = inspectedAgainAt(inspection, { minimumAge: rules.minimumAge, now: startedAt });
      const entry = { identity, inspection, isNews, ...defined({ againAt }) };
      const one = payload.packages[index] as InspectedPackage;
      const scripts = scriptsSeen(one, publishedAt, startedAt);
      return { subject: subjectOfPackage(one), scripts, entry, retryable };
    }),
  );
}

/** A script counts as usual when its version is old enough: an attacker may publish several versions in a row. */
function scriptsSeen(one: InspectedPackage, publishedAt: string | undefined, now: number): readonly string[] {
  if (one.script === undefined) return [];
  if (one.script === 'none') return [scriptSubject(one, 'no-script')];
  const isOld = publishedAt !== undefined && now - Date.parse(publishedAt) >= USUAL_MS;
  return one.script === 'known' || isOld ? [scriptSubject(one, 'script')] : [];
}

/** Whether the index knows other digests of the lockfiles, asked once for each system. */
function witnessed(
  { witnesses = [] }: InspectPackages,
  { releases }: InspectionPorts['insights'],
  signal: AbortSignal,
): (system: System) => Promise<boolean> {
  const asked = new Map<System, Promise<boolean>>();
  const ask = async (system: System): Promise<boolean> => {
    const own = witnesses.filter((one) => one.system === system);
    const found = await Promise.all(own.map(({ digest }) => releases.versionsWith(digest, system, signal)));
    return found.filter((versions) => versions !== undefined).length * 2 > own.length;
  };
  return (system) => {
    const answer = asked.get(system) ?? ask(system);
    asked.set(system, answer);
    return answer;
  };
}

async function countTargets(fleet: InspectionPorts['fleet'], identity: string): Promise<number> {
  const targets = await fleet.affectedTargets({
    versions: [{ key: identity, changedAt: 0 }],
    advisories: [],
  });
  return targets.length;
}

function subjectOfPackage(one: InspectedPackage): string {
  return subjectOf(formatVersionKey(one), one.digests ?? []);
}

const HOUR_MS = 3_600_000;
/** Facts that could not be had for this long are not asked for again. */
const GIVEN_UP_MS = 14 * 24 * HOUR_MS;
const MAX_WAIT_MS = 6 * HOUR_MS;

/**
 * When a version is inspected again, in ms since 1970: a young one each time, and one of which facts are not known after waits that
 * grow with the time since they are not. `undefined`: never.
 */
export function inspectedAgainAt(
  { publishedAt, incompleteSince }: Pick<Inspection, 'publishedAt' | 'incompleteSince'>,
  { minimumAge, now }: { readonly minimumAge: number; readonly now: number },
): number | undefined {
  if (publishedAt !== undefined && now - Date.parse(publishedAt) < minimumAge) return now;
  if (incompleteSince === undefined) return undefined;
  const waited = now - Date.parse(incompleteSince);
  return waited < GIVEN_UP_MS ? now + Math.min(waited, MAX_WAIT_MS) : undefined;
}
