import { keyOfIdentity } from '../../fleet/identity.ts';
import type { CodedError } from '../../model/errors.ts';
import type { Releases } from '../../model/ports/insights.ts';
import type { ProjectScores } from '../../model/ports/shared-state.ts';
import type { ProjectScore, Scorecard } from '../../model/signal/inspection.ts';
import { chunks } from '../../model/yielding.ts';
import { fallOf } from '../../policy/signals/scorecard-dropped.ts';
import type { InspectedPackage } from '../payloads/inspect-packages.ts';
import type { Ports } from '../ports.ts';

const DAY_MS = 24 * 3_600_000;
/** A look-up within this time is not repeated. */
const FRESH_MS = DAY_MS;
/** The scorecard of that time is what later ones are compared with. */
const REFERENCE_MS = 180 * DAY_MS;
/** The time for which a project that fell is compared with what it was. */
const FALLEN_MS = 90 * DAY_MS;
/** A version is inspected again for so long after the scorecard of its project turned. */
const TURNED_MS = 7 * DAY_MS;
/** Versions of one project that are inspected again. */
const MAX_PACKAGES = 20;
const CHUNK = 500;

interface ScoreOptions {
  readonly scores: ProjectScores;
  readonly releases: Releases;
  readonly signal: AbortSignal;
  /** ms since 1970. */
  readonly at: number;
}

/** The scores of projects. Those that were not looked up within a day are; one that cannot be had is an error. */
export type ProjectLookUp = (
  /** Identities of the versions that are inspected, by project. */
  packages: ReadonlyMap<string, readonly string[]>,
) => Promise<ReadonlyMap<string, ProjectScore | CodedError>>;

/** Looks scores up in one batch, compares them with what was known, and stores them. */
export function createProjectLookUp({ scores, releases, signal, at }: ScoreOptions): ProjectLookUp {
  return async (packages) => {
    const ids = [...packages.keys()];
    const known = await scores.read(ids);
    const isFresh = (index: number) => at - Date.parse(known[index]?.checkedAt ?? '') < FRESH_MS;
    const asked = ids.filter((_, index) => !isFresh(index));
    const answers = asked.length === 0 ? [] : await releases.scorecards(asked, signal);
    const answered = new Map(asked.map((id, index) => [id, answers[index]]));
    const found = new Map<string, ProjectScore | CodedError>();
    const changed: (readonly [string, ProjectScore])[] = [];
    for (const [index, id] of ids.entries()) {
      const before = known[index];
      const answer = answered.get(id);
      if (answer !== undefined && 'error' in answer) {
        found.set(id, before ?? answer.error);
        continue;
      }
      const score = answered.has(id) ? scoreAfter(before, answer, at) : (before as ProjectScore);
      const all = new Set([...(packages.get(id) ?? []), ...(before?.packages ?? [])]);
      const listed = [...all].slice(0, MAX_PACKAGES);
      const next = { ...score, packages: listed };
      found.set(id, next);
      if (answered.has(id) || listed.join() !== before?.packages.join()) changed.push([id, next]);
    }
    await scores.store(changed);
    return found;
  };
}

/** The score after another look-up. `now`: absent for a project without a scorecard. */
export function scoreAfter(
  before: ProjectScore | undefined,
  now: Scorecard | undefined,
  at: number,
): ProjectScore {
  const time = new Date(at).toISOString();
  const packages = before?.packages ?? [];
  const turned = before?.turnedAt === undefined ? {} : { turnedAt: before.turnedAt };
  // A scorecard that is absent for some time says nothing.
  if (now === undefined) return { ...before, checkedAt: time, packages };
  const { reference, fellAt } = before ?? {};
  const hasFallen = reference !== undefined && fallOf(reference, now) !== undefined;
  if (hasFallen && (fellAt === undefined || at - Date.parse(fellAt) < FALLEN_MS)) {
    const since = fellAt ?? time;
    return {
      checkedAt: time,
      reference,
      now,
      fellAt: since,
      ...turned,
      ...(fellAt === undefined ? { turnedAt: time } : {}),
      packages,
    };
  }
  const keeps =
    reference !== undefined &&
    !hasFallen &&
    now.overall < reference.overall &&
    at - Date.parse(reference.date) < REFERENCE_MS;
  return {
    checkedAt: time,
    reference: keeps ? reference : now,
    now,
    ...turned,
    ...(fellAt === undefined ? {} : { turnedAt: time }),
    packages,
  };
}

/**
 * Looks projects up anew, and returns the versions of them whose stored inspection does not say what their scorecard does now. With
 * several shards, each finds those that its targets hold.
 */
export async function turnedPackages(
  ids: readonly string[],
  lookUp: ProjectLookUp,
  { inspections, at }: { readonly inspections: Pick<Ports['inspections'], 'read'>; readonly at: number },
): Promise<{ readonly packages: readonly InspectedPackage[]; readonly failure: CodedError | undefined }> {
  const found = await lookUp(new Map(ids.map((id) => [id, []])));
  const turned = [...found.values()].filter(
    (one): one is ProjectScore => 'packages' in one && at - Date.parse(one.turnedAt ?? '') < TURNED_MS,
  );
  const wanted = turned.flatMap(({ packages, fellAt }) =>
    packages.map((identity) => ({ identity, fell: fellAt !== undefined })),
  );
  const identities = new Set<string>();
  for (const part of chunks(wanted, CHUNK)) {
    const known = await inspections.read(part.map(({ identity }) => identity));
    for (const [index, { identity, fell }] of part.entries()) {
      const says = known[index]?.signals.some(({ signal }) => signal === 'scorecard-dropped');
      if (says !== undefined && says !== fell) identities.add(identity);
    }
  }
  const failure = [...found.values()].find((one): one is CodedError => !('packages' in one));
  return { packages: [...identities].flatMap(keyOfIdentity), failure };
}
