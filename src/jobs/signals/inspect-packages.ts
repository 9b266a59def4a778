import { letScansPass } from '../errors.ts';
import { followUp, type Job, type JobRun, type RunContext } from '../job.ts';
import { keyHash } from '../payloads/fields.ts';
import { INSPECT_PACKAGES, type InspectPackages, inspectionsDue } from '../payloads/inspect-packages.ts';
import type { Ports } from '../ports.ts';
import { selectTargets } from '../refresh/select-targets.ts';
import { type InspectionCounts, inspect, partial, projectOptions } from './inspect.ts';
import { createProjectLookUp, turnedPackages } from './project-scores.ts';

type Needs = 'fleet' | 'insights' | 'inspections' | 'policy';

/**
 * Inspections wait this long for scans, so that they delay no alert of a few scans. While they wait, each scan asks for the
 * inspection of the same new packages again.
 */
const PATIENCE_MS = 2_000;

/**
 * Inspects package versions that are new to the fleet. What it finds changes what is known of the version, so that the targets that
 * hold it are judged again. Facts that may be had later are asked for again by the queue; in the end they are gaps.
 */
export const inspectPackages: Job<InspectPackages, InspectionCounts, Needs> = {
  ...INSPECT_PACKAGES,
  // With a low request budget a part takes long.
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 300_000, timeoutMs: 3_600_000, concurrency: 1 },
  async run(payload, ports, context) {
    await letScansPass(ports.fleet, payload, PATIENCE_MS, context.startedAt);
    if (payload.projects !== undefined)
      return await turnedProjects(payload.projects, payload, ports, context);
    const counts = await inspect(payload, ports, context);
    return { result: counts, next: counts.news === 0 ? [] : [selectionOf(payload, context.startedAt)] };
  },
  log: ({ inspection, packages }, counts) => ({
    facts: { inspection, packages: packages.length, ...counts },
    warning: counts.unknown === 0 ? undefined : 'facts about new package versions could not be had',
  }),
  spent: 'own',
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
    next: inspectionsDue(packages, new Date(payload.requestedAt), 'turned'),
  };
}

/** The selection has the time of its cause: a repeated inspection may find more than the selection of the first one saw. */
function selectionOf(payload: InspectPackages, startedAt: number) {
  const { requestedAt } = payload;
  const selection = `signals.${keyHash(INSPECT_PACKAGES.key(payload), 16)}.${startedAt}`;
  return followUp(selectTargets, { selection, requestedAt, round: 0 });
}
