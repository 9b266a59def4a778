import { formatVersionKey, isApiSystem, type System, systemOf } from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { Resolution, VersionRecordSummary } from '../../model/scan/inventory.ts';
import { chunks, inSlices } from '../../model/yielding.ts';
import type { AllRead } from '../../scan/read.ts';
import {
  type InspectedPackage,
  type InspectPackages,
  MAX_REQUIRED,
  PACKAGES_PER_INSPECTION,
  scriptSubject,
  statedDigests,
  subjectOf,
} from '../payloads/inspect-packages.ts';
import type { Ports } from '../ports.ts';

/** Versions of a target's first scan that are inspected: those that may have been published shortly before. The others are its baseline. */
const YOUNG_MS = 14 * 24 * 3_600_000;
/** More new versions than this are a new target rather than a change: the youngest are inspected, and later scans inspect the others that are young. */
const MAX_INSPECTED = 1_000;
/** The largest number while a user waits for the result. */
const MAX_INTERACTIVE = 200;
const MAX_WITNESSES = 3;

interface InspectedScan {
  readonly scan: string;
  readonly target: { readonly id: string };
  readonly requestedAt: string;
  /** Whether no earlier scan of the target was judged. */
  readonly isFirst: boolean;
}

/** Whether the lockfile states that the package runs a script at installation, or that it does not; `undefined`: neither. */
interface ScriptFacts {
  readonly hasScript: boolean | undefined;
}

/** The subject of an inspection, with the digests that a lockfile states for it. */
interface Subject {
  readonly subject: string;
  readonly digests: readonly string[];
}

/** A package whose version is in the index. */
interface Candidate extends Subject, ScriptFacts {
  readonly locked: LockedPackage;
  readonly record: VersionRecordSummary;
}

/**
 * The inspections of what is new to the fleet in a scan: package versions, and other digests of known ones. Nothing is requested to
 * find out; a scan with nothing new has no inspection.
 */
export async function inspectionsOf(
  scan: InspectedScan,
  packages: readonly LockedPackage[],
  resolutions: readonly Resolution[],
  inspections: Ports['inspections'],
  /** Whether the lockfile of a package states which packages run a script at installation. */
  statesScripts: (locked: LockedPackage) => boolean = () => false,
): Promise<readonly InspectPackages[]> {
  if (inspections.mode === 'never') return [];
  const isApart = inspections.mode === 'apart';
  const isBaselineScan = scan.isFirst && isApart;
  const all = await candidatesOf(packages, resolutions, statesScripts);
  const known = await inspections.isKnown(all.map(({ subject }) => subject));
  const unknown: Candidate[] = [];
  let index = 0;
  for (const one of all) if (known[index++] !== true) unknown.push(one);
  const young = Date.parse(scan.requestedAt) - YOUNG_MS;
  const isOld = (one: Candidate): boolean => publishedAt(one, young) < young;
  const isBaseline = (one: Candidate): boolean => isBaselineScan && isOld(one);
  const mismatched = await withMismatch(scan, all, inspections);
  const open = new Set([...unknown.filter((one) => !isBaseline(one)), ...mismatched]);
  const chosen = sorted(open, (one) => -publishedAt(one, young)).slice(
    0,
    isApart ? MAX_INSPECTED : MAX_INTERACTIVE,
  );
  const wanted = new Set(chosen);
  const scripts = await scriptsOf(chosen, inspections);
  await inspections.markKnown(
    unknown.flatMap((one) => (wanted.has(one) || !isOld(one) ? [] : [one.subject, ...scriptSubjectsOf(one)])),
  );
  if (chosen.length === 0) return [];
  const witnesses = witnessesOf(all, wanted);
  const requires = requirementsIn(packages, chosen);
  return chunks(chosen, PACKAGES_PER_INSPECTION).map((part) => {
    const inspected = part.map((one) => ({
      ...inspectedPackage(one, !isBaselineScan),
      ...(scripts.get(one) ?? {}),
    }));
    const systems = new Set(inspected.map(({ system }) => system));
    return {
      inspection: scan.scan,
      requestedAt: scan.requestedAt,
      target: scan.target.id,
      packages: inspected.map((one, at) => ({ ...one, ...requires(part[at] as Candidate) })),
      witnesses: witnesses.filter(({ system }) => systems.has(system)),
    };
  });
}

/** Returns the subjects that say what was seen of the scripts of a package. */
function scriptSubjectsOf({ hasScript, record: { versionKey } }: Candidate): readonly string[] {
  return hasScript === undefined ? [] : [scriptSubject(versionKey, hasScript ? 'script' : 'no-script')];
}

/** Whether chosen packages run a script at installation as the first of their versions that were seen. */
async function scriptsOf(
  chosen: readonly Candidate[],
  inspections: Ports['inspections'],
): Promise<ReadonlyMap<Candidate, Pick<InspectedPackage, 'script'>>> {
  const stated = chosen.filter(({ hasScript }) => hasScript !== undefined);
  const running = stated.filter(({ hasScript }) => hasScript === true).map(({ record }) => record.versionKey);
  const known = await inspections.isKnown(
    running.flatMap((key) => [scriptSubject(key, 'script'), scriptSubject(key, 'no-script')]),
  );
  let at = 0;
  return new Map(
    stated.map((one): readonly [Candidate, Pick<InspectedPackage, 'script'>] => {
      if (one.hasScript === false) return [one, { script: 'none' }];
      const [had, hadNot] = [known[at], known[at + 1]];
      at += 2;
      return [one, { script: had !== true && hadNot === true ? 'new' : 'known' }];
    }),
  );
}

async function candidatesOf(
  packages: readonly LockedPackage[],
  resolutions: readonly Resolution[],
  statesScripts: (locked: LockedPackage) => boolean,
): Promise<readonly Candidate[]> {
  const found = new Map<string, Candidate>();
  let index = 0;
  for await (const slice of inSlices(packages)) {
    for (const locked of slice) {
      const candidate = candidateOf(locked, resolutions[index++], statesScripts);
      if (candidate === undefined) continue;
      if (locked.direct === true || !found.has(candidate.subject)) {
        found.set(candidate.subject, candidate);
      }
    }
  }
  return [...found.values()];
}

function candidateOf(
  locked: LockedPackage,
  resolution: Resolution | undefined,
  statesScripts: (locked: LockedPackage) => boolean,
): Candidate | undefined {
  const record = resolution?.record;
  if (record === undefined || !isApiSystem(systemOf(locked.ecosystem))) return undefined;
  const digests = statedDigests(locked);
  const subject = subjectOf(formatVersionKey(record.versionKey), digests);
  const hasScript = statesScripts(locked) ? locked.installScript === true : undefined;
  return { subject, locked, record, digests, hasScript };
}

/** ms since 1970; `otherwise` when it is not known. */
function publishedAt({ record }: Candidate, otherwise: number): number {
  return Date.parse(record.publishedAt ?? '') || otherwise;
}

function sorted(candidates: Iterable<Candidate>, by: (one: Candidate) => number): readonly Candidate[] {
  return Array.from(candidates, (one) => ({ one, at: by(one) }))
    .sort((left, right) => left.at - right.at)
    .map(({ one }) => one);
}

function inspectedPackage(
  { locked, record, digests }: Candidate,
  /** Whether a direct dependency may be a new one. */
  mayBeNew: boolean,
): InspectedPackage {
  const { system, name, version } = record.versionKey;
  return {
    system,
    name,
    version,
    ...(mayBeNew && locked.direct === true ? { newDirect: true } : {}),
    ...(digests.length === 0 ? {} : { digests: [...digests] }),
  };
}

/** The names of the packages that chosen ones depend on, by their lockfile. Lockfiles may give one id to several packages. */
function requirementsIn(
  packages: readonly LockedPackage[],
  chosen: readonly Candidate[],
): (one: Candidate) => Pick<InspectedPackage, 'requires'> {
  const wanted = new Set(chosen.flatMap(({ locked }) => locked.dependencies ?? []));
  const names = new Map<string, Set<string>>();
  for (const { id, name } of wanted.size === 0 ? [] : packages) {
    if (wanted.has(id)) names.set(id, (names.get(id) ?? new Set()).add(name));
  }
  return ({ locked }) => {
    if (locked.dependencies === undefined) return {};
    const required = new Set(locked.dependencies.flatMap((id) => [...(names.get(id) ?? [])]));
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
  const stated = all.filter(({ digests }) => digests.length > 0);
  const known = await inspections.read(stated.map(({ record }) => formatVersionKey(record.versionKey)));
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
  const rest = all.filter((one) => !chosen.has(one));
  for (const { record, digests } of sorted(rest, (one) => publishedAt(one, Number.MAX_VALUE))) {
    const { system } = record.versionKey;
    const known = found.get(system) ?? [];
    const [digest] = digests;
    if (digest === undefined || known.length >= MAX_WITNESSES) continue;
    found.set(system, [...known, digest]);
  }
  return [...found].flatMap(([system, digests]) => digests.map((digest) => ({ system, digest })));
}

/** Whether the lockfile of a package states which packages run a script at installation. */
export function scriptsStatedIn({ read: files }: AllRead): (locked: LockedPackage) => boolean {
  const stating = files.filter(({ lockfile }) => lockfile.statesScripts === true);
  if (stating.length === files.length) return () => true;
  const packages = new Set(stating.flatMap(({ lockfile }) => lockfile.packages));
  return (locked) => packages.has(locked);
}
