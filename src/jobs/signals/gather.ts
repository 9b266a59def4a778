import { defined } from '../../model/defined.ts';
import { type CodedError, messageOf } from '../../model/errors.ts';
import { formatVersionKey, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import type { Release, ReleaseDetail, ReleaseFacts } from '../../model/signal/release-facts.ts';
import { comparedRelease, predecessors } from '../../policy/signals/detector.ts';
import { FEW_DEPENDENTS } from '../../policy/signals/look-alike.ts';
import { COMPARED_RELEASES } from '../../policy/signals/provenance-lost.ts';
import { JobError } from '../errors.ts';
import type { InspectedPackage } from '../payloads/inspect-packages.ts';
import type { Attempt, FactOptions, GatherOptions } from './release-facts.ts';
import { createLists, createNotes, projectFacts, requirementFacts } from './release-facts.ts';

const MAX_SIMILAR = 5;

/** Packages with similar names, and how much they and the package itself are used. */
async function likenessFacts(
  key: VersionKey,
  own: readonly Release[],
  { releases, signal, attempt, lists }: FactOptions,
): Promise<Partial<ReleaseFacts>> {
  const countOf = async (name: string, versions: readonly Release[] = []): Promise<number | undefined> => {
    const { version } = versions.find(({ isDefault }) => isDefault) ?? versions.at(-1) ?? {};
    if (version === undefined) return undefined;
    return await releases.dependents({ ...key, name, version }, signal);
  };
  // Most packages are known, and need no other look-up. A number that could not be had is not a small one.
  const counted = await attempt('dependents', async () => ({ dependents: await countOf(key.name, own) }));
  if (counted === undefined) return {};
  const { dependents } = counted;
  if (dependents !== undefined && dependents > FEW_DEPENDENTS) return { dependents };
  const found = await attempt('similar names', async () => ({ names: await releases.similar(key, signal) }));
  if (found === undefined) return {};
  const similar = (found.names ?? []).slice(0, MAX_SIMILAR).map(async (name) => {
    const used = await attempt('similar names', async () => {
      return defined({ dependents: await countOf(name, await lists({ ...key, name })) });
    });
    return { name, ...(used ?? { isUnknown: true as const }) };
  });
  return { similar: await Promise.all(similar), ...defined({ dependents }) };
}

/** A package version with what an earlier inspection found. */
export interface Subject {
  readonly package: InspectedPackage;
  readonly before: Inspection | undefined;
}

/** The facts of one version, and those that could not be had. */
export interface Gathered {
  readonly facts: ReleaseFacts;
  readonly unknown: readonly { readonly fact: string; readonly reason: string }[];
  /** The first failure that may not occur again. */
  readonly retryable: CodedError | undefined;
}

/** Gathers the facts of versions: each package once, the details of all in batches, the rest side by side. */
export async function gatherFacts(
  subjects: readonly Subject[],
  options: GatherOptions,
): Promise<readonly Gathered[]> {
  if (subjects.length === 0) return [];
  const lists = createLists(options);
  const gatherings = subjects.map((subject) => {
    const notes = createNotes(options.signal);
    const list = notes.attempt('releases', () => lists(subject.package)).then((found) => found ?? []);
    return { subject, list, ...notes };
  });
  const details = detailsOf(gatherings, options);
  const detailed = gatherings.map(({ attempt }, index) =>
    attempt('details', async () => (await details)(index)),
  );
  const projects = projectsOf(gatherings, detailed, options);
  const said = findingsOf(gatherings, options);
  return await Promise.all(
    gatherings.map(async ({ subject, list, attempt, unknown, failure }, index) => {
      const [own, found, ofProject, serviceFindings] = await Promise.all([
        factsOf(subject, list, { ...options, attempt, lists }),
        detailed[index],
        projects.then((all) => all[index]),
        attempt('findings', async () => findingsAt(await said, index)),
      ]);
      const facts = { ...own, ...ofProject, ...defined({ details: found, serviceFindings }) };
      return { facts, unknown, retryable: failure() };
    }),
  );
}

async function findingsOf(
  gatherings: readonly Pick<Gathering, 'subject'>[],
  { releases, signal }: GatherOptions,
): ReturnType<GatherOptions['releases']['findings']> {
  const keys = gatherings.map(({ subject: { package: one } }) => {
    return { system: one.system, name: one.name, version: one.version };
  });
  return await releases.findings(keys, signal);
}

function findingsAt(all: Awaited<ReturnType<typeof findingsOf>>, index: number) {
  const own = all[index];
  // No other fact waits for another attempt: the version is inspected again while it is not known.
  if (own !== undefined && 'error' in own) throw new JobError('facts-missing', messageOf(own.error));
  return own;
}

interface Gathering {
  readonly subject: Subject;
  readonly list: Promise<readonly Release[]>;
  readonly attempt: Attempt;
}

async function projectsOf(
  gatherings: readonly Gathering[],
  detailed: readonly Promise<ReadonlyMap<string, ReleaseDetail> | undefined>[],
  options: GatherOptions,
) {
  const subjects = gatherings.map(async ({ subject, list, attempt }, index) => {
    const { system, name, version } = subject.package;
    const published = (await list).find((one) => one.version === version)?.publishedAt;
    return {
      key: { system, name, version },
      publishedAt: published,
      isFirst: subject.before === undefined || subject.before.unknown.length > 0,
      detail: (await detailed[index])?.get(version),
      attempt,
    };
  });
  return await projectFacts(await Promise.all(subjects), options);
}

/** Looks the locked versions and those before them up together. */
async function detailsOf(
  gatherings: readonly Pick<Gathering, 'subject' | 'list'>[],
  { releases, signal }: GatherOptions,
): Promise<(index: number) => ReadonlyMap<string, ReleaseDetail>> {
  const known = await Promise.all(gatherings.map(({ list }) => list));
  const wanted = gatherings.map(({ subject }, index) => {
    const { system, name, version } = subject.package;
    const before = predecessors(known[index] ?? [], version).slice(-COMPARED_RELEASES);
    return [...before.map((one) => one.version), version].map((one) => ({ system, name, version: one }));
  });
  const keys = new Map(wanted.flat().map((key) => [formatVersionKey(key), key]));
  const answers = await releases.details([...keys.values()], signal);
  const byKey = new Map([...keys.keys()].map((key, index) => [key, answers[index]]));
  return (index) => {
    const found = new Map<string, ReleaseDetail>();
    for (const key of wanted[index] ?? []) {
      const answer = byKey.get(formatVersionKey(key));
      if (answer === undefined) continue;
      if ('error' in answer) throw answer.error;
      found.set(key.version, answer);
    }
    return found;
  };
}

/** Facts that do not depend on the list of releases are asked for at once. */
async function factsOf(
  { package: one, before }: Subject,
  list: Promise<readonly Release[]>,
  options: FactOptions,
): Promise<Omit<ReleaseFacts, 'details'>> {
  const key = { system: one.system, name: one.name, version: one.version };
  const earlier = list.then((releases): VersionKey | undefined => {
    const version = comparedRelease(releases, one.version)?.version;
    return version === undefined ? undefined : { ...key, version };
  });
  // What a version requires and calls is compared once; later only whether its own requirements stay.
  const isCompared = before !== undefined && before.unknown.length === 0;
  const compareWith = isCompared ? list.then(() => undefined) : earlier;
  // All promises are awaited together: when the list rejects, one that is awaited later would be an unhandled rejection.
  const [compared, requirements, digests, capabilities, likeness] = await Promise.all([
    earlier,
    requirementFacts(one, compareWith, before, options),
    digestFacts(one, options),
    isCompared ? {} : capabilityFacts(key, earlier, options),
    one.newDirect === true ? list.then((own) => likenessFacts(key, own, options)) : {},
  ]);
  return {
    key,
    at: options.at,
    ...defined({ target: options.target }),
    isNewDirect: one.newDirect === true,
    ...(one.script === undefined ? {} : { hasNewScript: one.script === 'new' }),
    releases: await list,
    ...defined({ comparedWith: compared?.version }),
    ...requirements,
    ...digests,
    ...capabilities,
    ...likeness,
  };
}

async function digestFacts(
  { system, digests: stated }: InspectedPackage,
  { releases, signal, attempt, knowsDigests }: FactOptions,
): Promise<Partial<ReleaseFacts>> {
  if (stated === undefined) return {};
  const digests = await attempt('digests', () =>
    Promise.all(
      stated.map(async (digest) => ({
        digest,
        versions: await releases.versionsWith(digest, system, signal),
      })),
    ),
  );
  if (digests === undefined) return {};
  if (digests.some(({ versions }) => versions !== undefined)) return { digests };
  return { digests, knowsDigests: (await attempt('digests', () => knowsDigests(system))) ?? false };
}

async function capabilityFacts(
  key: VersionKey,
  earlier: Promise<VersionKey | undefined>,
  { releases, signal, attempt }: FactOptions,
): Promise<Partial<ReleaseFacts>> {
  if (key.system !== 'GO') return {};
  const [capabilities, capabilitiesBefore] = await Promise.all([
    attempt('capabilities', () => releases.capabilities(key, signal)),
    earlier.then((one) => one && attempt('capabilities', () => releases.capabilities(one, signal))),
  ]);
  return {
    ...defined({ capabilities, capabilitiesBefore }),
  };
}
