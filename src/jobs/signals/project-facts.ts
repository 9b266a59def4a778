import { defined } from '../../model/defined.ts';
import { CodedError } from '../../model/errors.ts';
import { formatVersionKey, type VersionKey } from '../../model/lockfile/version-key.ts';
import type { ReleaseDetail, ReleaseFacts, SiblingRelease } from '../../model/signal/release-facts.ts';
import type { Attempt, GatherOptions } from './look-ups.ts';

const HOUR_MS = 3_600_000;
/** Only a version that is as young is compared with its siblings at its first inspection, and at the others. */
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

/** What is known of the source projects of versions: each project is looked up once. */
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
  const scores = packages.size === 0 ? undefined : lookUpProjects?.(packages);
  // Each version takes note of the failure itself.
  scores?.catch(() => {});
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
