import type { CodedError } from '../../model/errors.ts';
import { formatVersionKey, type System } from '../../model/lockfile/version-key.ts';
import type { StoredInspection } from '../../model/ports/inspections.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import { IncompleteError } from '../../scan/attempt.ts';
import { JobError } from '../errors.ts';
import { followUp } from '../follow-up.ts';
import type { Job, JobRun, RunContext } from '../job.ts';
import {
  INSPECT_PACKAGES,
  type InspectedPackage,
  type InspectPackages,
  inspectionsDue,
  scriptSubject,
  subjectOf,
} from '../payloads/inspect-packages.ts';
import { SELECT_TARGETS } from '../payloads/select-targets.ts';
import type { Ports } from '../ports.ts';
import { type Gathered, gatherFacts } from './gather.ts';
import { inspectedAgainAt } from './inspected-again.ts';
import { createProjectLookUp, turnedPackages } from './project-scores.ts';

type Needs = 'fleet' | 'insights' | 'inspections' | 'policy';

/** What one job inspected. */
interface InspectionCounts {
  readonly inspected: number;
  /** Versions with signals that were not known before. */
  readonly news: number;
  /** Facts that could not be had. */
  readonly unknown: number;
}

/** When a script of a version is no longer new. */
const USUAL_MS = 14 * 24 * 3_600_000;
/** Inspections wait this long for scans, so that they delay no alert about an advisory. */
const PATIENCE_MS = 120_000;

/**
 * Inspects package versions that are new to the fleet. What it finds changes what is known of the version, so that the targets that
 * hold it are judged again. Facts that may be had later are asked for again by the queue; in the end they are gaps.
 */
export const inspectPackages: Job<InspectPackages, InspectionCounts, Needs> = {
  ...INSPECT_PACKAGES,
  // With a low request budget a part takes long.
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 300_000, timeoutMs: 3_600_000, concurrency: 1 },
  needs: ['fleet', 'insights', 'inspections', 'policy'],
  async run(payload, ports, context) {
    await letScansPass(payload, ports, context);
    if (payload.projects !== undefined)
      return await turnedProjects(payload.projects, payload, ports, context);
    const found = await inspect({ ...payload, packages: await openPackages(payload, ports) }, ports, context);
    const failure = found.find(({ retryable }) => retryable !== undefined)?.retryable;
    const isFinal = failure === undefined || context.lastAttempt;
    const stored = found.filter(({ retryable }) => isFinal || retryable === undefined);
    await ports.inspections.store(stored.map(({ entry }) => entry));
    await ports.inspections.markKnown(stored.flatMap(({ subject, scripts }) => [subject, ...scripts]));
    if (!isFinal) throw partial(failure);
    const news = found.filter(({ entry }) => entry.isNews).length;
    return {
      result: {
        inspected: found.length,
        news,
        unknown: found.reduce((sum, { entry }) => sum + entry.inspection.unknown.length, 0),
      },
      next: news === 0 ? [] : [selectionOf(payload)],
    };
  },
  log: ({ inspection, part }, counts) => ({
    facts: { inspection, part, ...counts },
    warning: counts.unknown === 0 ? undefined : 'facts about new package versions could not be had',
  }),
  spent: (payload) => ({
    marked: [{ job: INSPECT_PACKAGES.name, key: INSPECT_PACKAGES.key(payload) }],
    removed: [],
  }),
};

/** Looks scorecards up again. Versions whose inspection does not say what they say now are inspected again. */
async function turnedProjects(
  projects: readonly string[],
  payload: InspectPackages,
  { inspections, insights }: Pick<Ports, 'inspections' | 'insights'>,
  { signal, startedAt, lastAttempt }: RunContext,
): Promise<JobRun<InspectionCounts>> {
  const lookUp = createProjectLookUp(projectOptions(inspections, insights, signal, startedAt));
  const { packages, failure } = await turnedPackages(projects, lookUp, {
    inspections,
    at: startedAt,
  });
  if (failure?.retryable === true && !lastAttempt) throw partial(failure);
  return {
    result: { inspected: 0, news: packages.length, unknown: failure === undefined ? 0 : 1 },
    next: inspectionsDue(packages, new Date(payload.requestedAt), `turned-${payload.part}`),
  };
}

function projectOptions(
  { projects: scores }: Ports['inspections'],
  { releases }: Ports['insights'],
  signal: AbortSignal,
  at: number,
) {
  return { scores, releases, signal, at };
}

/** What may be had later is asked for again by the queue. */
function partial(failure: CodedError): IncompleteError {
  const { message, retryAfterMs } = failure;
  return new IncompleteError('insights-partial', message, { cause: failure, retryAfterMs });
}

async function letScansPass(
  { requestedAt }: InspectPackages,
  { fleet }: Pick<Ports, 'fleet'>,
  { startedAt }: RunContext,
): Promise<void> {
  if (startedAt - Date.parse(requestedAt) > PATIENCE_MS) return;
  const waiting = await fleet.waitingScans();
  if (waiting > 0)
    throw new JobError('others-first', `${waiting} scans wait for a worker`, { retryable: true });
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
  /** What it shows of the scripts of its package. */
  readonly scripts: readonly string[];
  readonly entry: StoredInspection;
  readonly retryable: Gathered['retryable'];
}

async function inspect(
  payload: InspectPackages,
  { fleet, insights, inspections, policy }: Pick<Ports, Needs>,
  { signal, startedAt }: RunContext,
): Promise<readonly Inspected[]> {
  // The detectors are loaded with the first inspection: most scans from the command line have none.
  const [{ isIncident, saySame, signalsOf }, { inputsOf, mostInputs, unknownIn }] = await Promise.all([
    import('../../policy/signals/evaluate.ts'),
    import('../../policy/signals/inputs.ts'),
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
      const inspection: Inspection = {
        inspectedAt,
        ...(publishedAt === undefined ? {} : { publishedAt }),
        signals,
        unknown: notKnown,
        ...(notKnown.length === 0 ? {} : { incompleteSince: before?.incompleteSince ?? inspectedAt }),
        inputs: mostInputs(before?.inputs ?? {}, inputs),
        ...(targets === undefined ? {} : { targets }),
        ...requirementsAfter(before, facts.requirements),
      };
      const againAt = inspectedAgainAt(inspection, { minimumAge: rules.minimumAge, now: startedAt });
      const entry = { identity, inspection, isNews, ...(againAt === undefined ? {} : { againAt }) };
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
  const isOld = publishedAt === undefined || now - Date.parse(publishedAt) >= USUAL_MS;
  return one.script === 'known' || isOld ? [scriptSubject(one, 'script')] : [];
}

/** What a version requires is known until an inspection reads it anew. */
function requirementsAfter(
  before: Inspection | undefined,
  now: string | undefined,
): Pick<Inspection, 'requirements'> {
  const requirements = now ?? before?.requirements;
  return requirements === undefined ? {} : { requirements };
}

/** Whether the index knows other digests of the lockfiles, asked once for each system. */
function witnessed(
  { witnesses = [] }: InspectPackages,
  { releases }: Ports['insights'],
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

async function countTargets(fleet: Ports['fleet'], identity: string): Promise<number> {
  const targets = await fleet.affectedTargets({
    versions: [{ key: identity, changedAt: 0 }],
    advisories: [],
  });
  return targets.length;
}

function subjectOfPackage(one: InspectedPackage): string {
  return subjectOf(formatVersionKey(one), one.digests ?? []);
}

function selectionOf(payload: InspectPackages) {
  const { requestedAt } = payload;
  const selection = `signals.${INSPECT_PACKAGES.key(payload)}`.slice(0, 128);
  return followUp(SELECT_TARGETS, { selection, requestedAt, round: 0 });
}
