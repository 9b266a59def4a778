import { chunks } from '../../model/chunks.ts';
import { systemOf } from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import { formatVersionKey, type System } from '../../model/lockfile/version-key.ts';
import type { Resolution } from '../../model/scan/resolution.ts';
import { inSlices } from '../../model/yielding.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import {
  INSPECT_PACKAGES,
  type InspectedPackage,
  type InspectPackages,
  MAX_REQUIRED,
  PACKAGES_PER_INSPECTION,
  subjectOf,
} from '../payloads/inspect-packages.ts';
import type { Ports } from '../ports.ts';
import { statedDigests } from './stated-digests.ts';

/** Versions of a target's first scan that are inspected: those that were published shortly before. The others are its baseline. */
const YOUNG_MS = 14 * 24 * 3_600_000;
/** More new versions than this are a new target rather than a change; the youngest are inspected. */
const MAX_INSPECTED = 1_000;
/** The same while a user waits for the result. */
const MAX_INTERACTIVE = 200;
const MAX_WITNESSES = 3;

export interface InspectedScan {
  readonly scan: string;
  readonly target: { readonly id: string };
  readonly requestedAt: string;
  /** Whether no earlier scan of the target was judged. */
  readonly isFirst: boolean;
}

interface Candidate {
  readonly subject: string;
  readonly package: InspectedPackage;
  readonly dependencies: LockedPackage['dependencies'];
  readonly publishedAt: number;
}

/**
 * The jobs that inspect what is new to the fleet in a scan: package versions, and other digests of known ones. Nothing is requested to
 * find out; a scan with nothing new has no such job.
 */
export async function inspectionsOf(
  scan: InspectedScan,
  packages: readonly LockedPackage[],
  resolutions: readonly Resolution[],
  { inspections }: Pick<Ports, 'inspections'>,
): Promise<readonly FollowUp[]> {
  if (inspections.mode === 'never') return [];
  const isApart = inspections.mode === 'apart';
  const all = await candidatesOf(packages, resolutions, !(scan.isFirst && isApart));
  const known = await inspections.isKnown(all.map(({ subject }) => subject));
  const unknown = all.filter((_, index) => known[index] !== true);
  const young = Date.parse(scan.requestedAt) - YOUNG_MS;
  const isBaseline = ({ publishedAt }: Candidate): boolean => scan.isFirst && isApart && publishedAt < young;
  const mismatched = await withMismatch(scan, all, inspections);
  const chosen = [...new Set([...unknown.filter((one) => !isBaseline(one)), ...mismatched])]
    .sort((left, right) => right.publishedAt - left.publishedAt)
    .slice(0, isApart ? MAX_INSPECTED : MAX_INTERACTIVE);
  const wanted = new Set(chosen);
  await inspections.markKnown(unknown.flatMap((one) => (wanted.has(one) ? [] : one.subject)));
  if (chosen.length === 0) return [];
  const witnesses = witnessesOf(all, wanted);
  const requires = requirementsIn(packages, chosen);
  return chunks(chosen, PACKAGES_PER_INSPECTION).map((part, index) => {
    const systems = new Set(part.map((one) => one.package.system));
    const payload: InspectPackages = {
      inspection: scan.scan,
      part: index,
      requestedAt: scan.requestedAt,
      target: scan.target.id,
      packages: part.map((one) => ({ ...one.package, ...requires(one) })),
      witnesses: witnesses.filter(({ system }) => systems.has(system)),
    };
    return followUp(INSPECT_PACKAGES, payload);
  });
}

async function candidatesOf(
  packages: readonly LockedPackage[],
  resolutions: readonly Resolution[],
  /** Whether a direct dependency may be a new one. */
  mayBeNew: boolean,
): Promise<readonly Candidate[]> {
  const found = new Map<string, Candidate>();
  let index = 0;
  for await (const slice of inSlices(packages)) {
    for (const locked of slice) {
      const candidate = candidateOf(locked, resolutions[index++], mayBeNew);
      if (candidate === undefined) continue;
      if (candidate.package.newDirect === true || !found.has(candidate.subject)) {
        found.set(candidate.subject, candidate);
      }
    }
  }
  return [...found.values()];
}

function candidateOf(
  locked: LockedPackage,
  resolution: Resolution | undefined,
  mayBeNew: boolean,
): Candidate | undefined {
  const record = resolution?.record;
  const system = systemOf(locked.ecosystem);
  if (record === undefined || system === undefined) return undefined;
  const digests = statedDigests(locked);
  const { name, version } = record.versionKey;
  return {
    subject: subjectOf(formatVersionKey(record.versionKey), digests),
    package: {
      system,
      name,
      version,
      ...(mayBeNew && locked.direct === true ? { newDirect: true } : {}),
      ...(digests.length === 0 ? {} : { digests: [...digests] }),
    },
    dependencies: locked.dependencies,
    publishedAt: Date.parse(record.publishedAt ?? '') || 0,
  };
}

/** The names of the packages that chosen ones depend on, by their lockfile. Lockfiles may give one id to several packages. */
function requirementsIn(
  packages: readonly LockedPackage[],
  chosen: readonly Candidate[],
): (one: Candidate) => Pick<InspectedPackage, 'requires'> {
  const wanted = new Set(chosen.flatMap(({ dependencies = [] }) => dependencies));
  const names = new Map<string, Set<string>>();
  for (const { id, name } of wanted.size === 0 ? [] : packages) {
    if (wanted.has(id)) names.set(id, (names.get(id) ?? new Set()).add(name));
  }
  return ({ dependencies }) => {
    if (dependencies === undefined) return {};
    const required = new Set(dependencies.flatMap((id) => [...(names.get(id) ?? [])]));
    return required.size > MAX_REQUIRED ? {} : { requires: [...required] };
  };
}

/** Packages whose digest was not that of their version: the lockfile may have been repaired. */
async function withMismatch(
  { target, isFirst }: InspectedScan,
  all: readonly Candidate[],
  inspections: Ports['inspections'],
): Promise<readonly Candidate[]> {
  if (isFirst) return [];
  const stated = all.filter((one) => one.package.digests !== undefined);
  const known = await inspections.read(stated.map((one) => formatVersionKey(one.package)));
  return stated.filter((_, index) =>
    known[index]?.signals.some((one) => one.signal === 'integrity-mismatch' && one.target === target.id),
  );
}

/** Digests of old packages of the same lockfiles, which are not inspected. */
function witnessesOf(
  all: readonly Candidate[],
  chosen: ReadonlySet<Candidate>,
): readonly { readonly system: System; readonly digest: string }[] {
  const found = new Map<System, string[]>();
  const rest = all
    .filter((one) => !chosen.has(one))
    .sort((left, right) => left.publishedAt - right.publishedAt);
  for (const { package: one } of rest) {
    const known = found.get(one.system) ?? [];
    const [digest] = one.digests ?? [];
    if (digest === undefined || known.length >= MAX_WITNESSES) continue;
    found.set(one.system, [...known, digest]);
  }
  return [...found].flatMap(([system, digests]) => digests.map((digest) => ({ system, digest })));
}
