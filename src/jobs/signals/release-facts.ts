import { createHash } from 'node:crypto';
import { defined } from '../../model/defined.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { formatVersionKey, type System, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { Releases } from '../../model/ports/insights.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import type {
  NewRequirement,
  Release,
  ReleaseDetail,
  ReleaseFacts,
  Requirement,
  SiblingRelease,
} from '../../model/signal/release-facts.ts';
import { awaitedLater } from '../../model/time-limit.ts';
import { isAddress } from '../../policy/signals/young-requirement.ts';
import { JobError } from '../errors.ts';
import type { InspectedPackage } from '../payloads/inspect-packages.ts';
import type { ProjectLookUp } from './project-scores.ts';

export interface GatherOptions {
  readonly releases: Releases;
  readonly signal: AbortSignal;
  /** The target whose lockfiles have the packages. */
  readonly target?: string | undefined;
  /** Time of the inspection, ms since 1970. */
  readonly at: number;
  /** Whether the index knows digests of a system. Asked only for a digest that it does not know. */
  readonly knowsDigests: (system: System) => Promise<boolean>;
  /** The look-up of source projects; without it, nothing is known of them. */
  readonly lookUpProjects?: ProjectLookUp;
}

/** Gets a fact; `undefined` when it could not be had. */
export type Attempt = <Value>(fact: string, get: () => Promise<Value>) => Promise<Value | undefined>;
/** All versions of a package. */
type Lists = (name: {
  readonly system: System;
  readonly name: string;
}) => Promise<readonly Release[] | undefined>;

/** Collects what could not be had. Rejects when aborted. */
export function createNotes(signal: AbortSignal) {
  const unknown: { fact: string; reason: string }[] = [];
  let failed: CodedError | undefined;
  const attempt: Attempt = async (fact, get) => {
    try {
      return await get();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CodedError)) throw error;
      unknown.push({ fact, reason: messageOf(error).slice(0, 300) });
      if (error.retryable) failed ??= error;
      return undefined;
    }
  };
  return { attempt, unknown, failure: () => failed };
}

/** Each package is looked up once in a job. */
export function createLists({ releases, signal }: GatherOptions): Lists {
  const known = new Map<string, Promise<readonly Release[] | undefined>>();
  return (name) => {
    const key = `${name.system}:${name.name}`;
    const found = known.get(key) ?? releases.list({ system: name.system, name: name.name }, signal);
    known.set(key, found);
    return found;
  };
}

/** How the facts of one version are gathered. */
export interface FactOptions extends GatherOptions {
  readonly attempt: Attempt;
  readonly lists: Lists;
}

/** More new requirements than this are not looked up, which is said: a release must not hide one among many. */
const MAX_NEW_REQUIREMENTS = 50;

/** Returns the requirements of a version, those that are new since the version before, and those that the lockfile does not have. */
export async function requirementFacts(
  one: InspectedPackage,
  earlier: Promise<VersionKey | undefined>,
  before: Inspection | undefined,
  options: FactOptions,
): Promise<Partial<ReleaseFacts>> {
  const { releases, signal, attempt, lists } = options;
  const key = { system: one.system, name: one.name, version: one.version };
  const [own, old] = await Promise.all([
    attempt('requirements', () => releases.requirements(key, signal)),
    earlier.then((old) => old && attempt('requirements', () => releases.requirements(old, signal))),
  ]);
  if (own === undefined) return {};
  const text = own.map(({ name, requirement }) => `${name} ${requirement}`).sort();
  const hash = createHash('sha256').update(text.join('\n')).digest('base64url').slice(0, 22);
  const stated = {
    requirements: hash,
    ...(before?.requirements === undefined ? {} : { requirementsBefore: before.requirements }),
    ...(await unlockedFacts(one, own, options)),
  };
  if (old === undefined) return stated;
  const names = new Set(old.map(({ name }) => name));
  const addresses = new Set(old.map(({ requirement }) => requirement).filter(isAddress));
  const added = own.filter(
    ({ name, requirement }) => !names.has(name) || (isAddress(requirement) && !addresses.has(requirement)),
  );
  if (added.length > MAX_NEW_REQUIREMENTS)
    await attempt('requirements', async () => {
      throw new JobError('facts-missing', `only ${MAX_NEW_REQUIREMENTS} of ${added.length} new ones`);
    });
  const looked = added.map(async (required, at): Promise<NewRequirement> => {
    if (isAddress(required.requirement) || at >= MAX_NEW_REQUIREMENTS) return required;
    const found = await attempt('requirements', async () => ({
      releases: await lists({ ...key, name: required.name }),
    }));
    return found === undefined ? required : { ...required, ...found };
  });
  return { ...stated, newRequirements: await Promise.all(looked) };
}

/**
 * Packages that an npm version states and its resolved graph has, and that the lockfile does not have as its edges. The graph is
 * looked up only when an edge is lacking. In other systems, features and markers decide which edges a lockfile has.
 */
async function unlockedFacts(
  { system, name, version, requires }: InspectedPackage,
  own: readonly Requirement[],
  { releases, signal, attempt }: FactOptions,
): Promise<Pick<ReleaseFacts, 'unlocked'>> {
  if (system !== 'NPM' || requires === undefined) return {};
  const locked = new Set(requires);
  const lacking = new Set(own.flatMap((one) => (locked.has(one.name) ? [] : one.name)));
  if (lacking.size === 0) return { unlocked: [] };
  const graph = await attempt('dependency graph', () => releases.graph({ system, name, version }, signal));
  if (graph === undefined) return {};
  const resolved = new Set(graph.map((one) => one.name));
  return { unlocked: [...lacking].filter((one) => resolved.has(one)) };
}

const HOUR_MS = 3_600_000;
/** A version is compared only while it is this young with its siblings at its first inspection, and at the others. */
const FIRST_MS = 72 * HOUR_MS;
const AGAIN_MS = 2 * HOUR_MS;
/** Source projects of one version. */
const MAX_PROJECTS = 3;

interface ProjectSubject {
  readonly key: VersionKey;
  /** When it was published, ms since 1970. */
  readonly publishedAt: number | undefined;
  readonly isFirst: boolean;
  readonly detail: ReleaseDetail | undefined;
  readonly attempt: Attempt;
}

/** Returns the facts about the source projects of versions: each project is looked up once. */
export async function projectFacts(
  subjects: readonly ProjectSubject[],
  options: GatherOptions,
): Promise<readonly Pick<ReleaseFacts, 'projects' | 'siblings'>[]> {
  const { lookUpProjects } = options;
  const packages = new Map<string, string[]>();
  for (const { key, detail } of subjects) {
    for (const id of projectsOf(detail)) {
      const own = packages.get(id) ?? [];
      packages.set(id, [...own, formatVersionKey(key)]);
    }
  }
  const siblings = createSiblings(options);
  // Each version takes note of the failure itself.
  const scores =
    packages.size === 0 || lookUpProjects === undefined ? undefined : awaitedLater(lookUpProjects(packages));
  return await Promise.all(
    subjects.map(async ({ key, publishedAt, isFirst, detail, attempt }) => {
      const ids = projectsOf(detail);
      const [source] = ids;
      if (source === undefined) return {};
      const age = publishedAt === undefined ? Number.POSITIVE_INFINITY : options.at - publishedAt;
      const [projects, found] = await Promise.all([
        attempt('scorecard', async () => {
          const all = await scores;
          return all && ids.map((id) => ({ id, ...scoreOf(all.get(id)) }));
        }),
        age <= (isFirst ? FIRST_MS : AGAIN_MS)
          ? attempt('versions of the project', () => siblings(source))
          : undefined,
      ]);
      const others = found?.filter(({ system, name }) => system === key.system && name !== key.name);
      return {
        ...defined({ projects, siblings: others }),
      };
    }),
  );
}

function scoreOf<Score extends object>(found: Score | CodedError | undefined): Score | undefined {
  if (found instanceof CodedError) throw found;
  return found;
}

function projectsOf(detail: ReleaseDetail | undefined): readonly string[] {
  return (detail?.projects ?? []).slice(0, MAX_PROJECTS);
}

type Siblings = SiblingRelease & Pick<VersionKey, 'system'>;

/** All versions of a project with their times, looked up once in a job. */
function createSiblings({
  releases,
  signal,
}: GatherOptions): (project: string) => Promise<readonly Siblings[] | undefined> {
  const known = new Map<string, Promise<readonly Siblings[] | undefined>>();
  const ask = async (project: string): Promise<readonly Siblings[] | undefined> => {
    const keys = await releases.versionsOfProject(project, signal);
    if (keys === undefined) return undefined;
    const answers = await releases.details(keys, signal);
    return keys.flatMap(({ system, name, version }, index) => {
      const answer = answers[index];
      if (answer !== undefined && 'error' in answer) throw answer.error;
      const publishedAt = answer?.publishedAt;
      return publishedAt === undefined ? [] : { system, name, version, publishedAt };
    });
  };
  return (project) => {
    const found = known.get(project) ?? ask(project);
    known.set(project, found);
    return found;
  };
}
