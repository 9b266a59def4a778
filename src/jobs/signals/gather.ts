import { createHash } from 'node:crypto';
import type { CodedError } from '../../model/errors.ts';
import { formatVersionKey, type VersionKey } from '../../model/scan/version-key.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import type {
  NewRequirement,
  Release,
  ReleaseDetail,
  ReleaseFacts,
} from '../../model/signal/release-facts.ts';
import { COMPARED_RELEASES } from '../../policy/signals/provenance-lost.ts';
import { predecessors } from '../../policy/signals/versions.ts';
import { isAddress } from '../../policy/signals/young-requirement.ts';
import type { InspectedPackage } from '../payloads/inspect-packages.ts';
import { likenessFacts } from './likeness.ts';
import { createLists, createNotes, type FactOptions, type GatherOptions } from './look-ups.ts';

/** More new requirements than this are not looked up. */
const MAX_NEW_REQUIREMENTS = 10;

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
  return await Promise.all(
    gatherings.map(async ({ subject, list, attempt, unknown, failure }, index) => {
      const [own, found] = await Promise.all([
        factsOf(subject, list, { ...options, attempt, lists }),
        attempt('details', async () => (await details)(index)),
      ]);
      const facts = { ...own, ...(found === undefined ? {} : { details: found }) };
      return { facts, unknown, retryable: failure() };
    }),
  );
}

/** Looks the locked versions and those before them up together. */
async function detailsOf(
  gatherings: readonly { readonly subject: Subject; readonly list: Promise<readonly Release[]> }[],
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

/** What does not depend on the list of releases is asked for at once. */
async function factsOf(
  { package: one, before }: Subject,
  list: Promise<readonly Release[]>,
  options: FactOptions,
): Promise<Omit<ReleaseFacts, 'details'>> {
  const key = { system: one.system, name: one.name, version: one.version };
  const earlier = list.then((releases): VersionKey | undefined => {
    const version = predecessors(releases, one.version).at(-1)?.version;
    return version === undefined ? undefined : { ...key, version };
  });
  // What a version requires and calls is compared once; later only whether its own requirements stay.
  const isCompared = before !== undefined && before.unknown.length === 0;
  const compareWith = isCompared ? list.then(() => undefined) : earlier;
  const [requirements, digests, capabilities, likeness] = await Promise.all([
    requirementFacts(key, compareWith, before, options),
    digestFacts(one, options),
    isCompared ? {} : capabilityFacts(key, earlier, options),
    one.newDirect === true ? list.then((own) => likenessFacts(key, own, options)) : {},
  ]);
  const compared = (await earlier)?.version;
  return {
    key,
    at: options.at,
    ...(options.target === undefined ? {} : { target: options.target }),
    isNewDirect: one.newDirect === true,
    releases: await list,
    ...(compared === undefined ? {} : { comparedWith: compared }),
    ...requirements,
    ...digests,
    ...capabilities,
    ...likeness,
  };
}

async function requirementFacts(
  key: VersionKey,
  earlier: Promise<VersionKey | undefined>,
  before: Inspection | undefined,
  { releases, signal, attempt, lists }: FactOptions,
): Promise<Partial<ReleaseFacts>> {
  const [own, old] = await Promise.all([
    attempt('requirements', () => releases.requirements(key, signal)),
    earlier.then((one) => one && attempt('requirements', () => releases.requirements(one, signal))),
  ]);
  if (own === undefined) return {};
  const text = own.map(({ name, requirement }) => `${name} ${requirement}`).sort();
  const hash = createHash('sha256').update(text.join('\n')).digest('base64url').slice(0, 22);
  const stated = {
    requirements: hash,
    ...(before?.requirements === undefined ? {} : { requirementsBefore: before.requirements }),
  };
  if (old === undefined) return stated;
  const names = new Set(old.map(({ name }) => name));
  const addresses = new Set(old.map(({ requirement }) => requirement).filter(isAddress));
  const added = own.filter(
    ({ name, requirement }) => !names.has(name) || (isAddress(requirement) && !addresses.has(requirement)),
  );
  const looked = added.slice(0, MAX_NEW_REQUIREMENTS).map(async (one): Promise<NewRequirement> => {
    if (isAddress(one.requirement)) return one;
    const found = await attempt('requirements', async () => ({
      releases: await lists({ ...key, name: one.name }),
    }));
    return found === undefined ? one : { ...one, ...found };
  });
  return { ...stated, newRequirements: await Promise.all(looked) };
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
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(capabilitiesBefore === undefined ? {} : { capabilitiesBefore }),
  };
}
