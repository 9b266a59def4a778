import type { Fix, FixChange, KnownFix, KnownWay } from '../model/advice/fix.ts';
import { defined } from '../model/defined.ts';
import type { System, VersionKey } from '../model/lockfile/ecosystem.ts';
import {
  canonicalName,
  canonicalVersion,
  purlTypeOf,
  systemOf,
  writePurl,
} from '../model/lockfile/ecosystem.ts';
import type { FixQuestion, KnownFixes } from '../model/ports/shared-state.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import { openCandidates, proofOf } from './candidates.ts';
import { findDirectWay } from './direct-upgrade.ts';
import type { AdviceFacts } from './facts.ts';
import { openProject } from './project.ts';
import type { Refuted, Search } from './proof.ts';
import { sentenceOf } from './sentence.ts';

const MAX_CANDIDATES = 5;

/**
 * Determines what is known of fixes of a version, without any lockfile: its nearest good version, and for each direct dependency whether
 * it comes to bring a good one. Keeps the ways that are known already. `now`: ms since 1970.
 */
export async function learnFix(
  { key, directs }: FixQuestion,
  before: KnownFix | undefined,
  facts: AdviceFacts,
  now: number,
): Promise<KnownFix> {
  const stated = await statedFix(facts, key);
  const opened = stated === undefined ? await openCandidates(facts, key) : undefined;
  const candidates = opened?.state === 'good' ? opened.found : undefined;
  const good: Search<{ readonly version: string }> =
    stated ?? (await candidates?.firstGood(candidates.later)) ?? (opened as Refuted);
  const ways: Record<string, KnownWay> = { ...before?.ways };
  for (const direct of directs) {
    const id = idOf(direct);
    if (good.state === 'good') ways[id] ??= await wayOf(direct, key, facts, now);
  }
  const looked = candidates?.looked() ?? (stated === undefined ? [] : [{ ...stated.found, advisories: [] }]);
  return {
    computedAt: before?.computedAt ?? now,
    ...(good.state === 'good'
      ? { version: good.found.version, breaking: isBreaking(key, good.found.version) }
      : { reason: good.reason, ...(good.state === 'unknown' ? { isUnknown: true } : {}) }),
    ...defined({ from: stated === undefined ? candidates?.from : ('osv' as const) }),
    candidates: looked.slice(0, MAX_CANDIDATES),
    lookedAt: looked.length,
    ways,
  };
}

/** Returns the version that OSV names as fixed, when it is good: no list of versions is looked up, and no lower version can be good. */
async function statedFix(facts: AdviceFacts, key: VersionKey) {
  const version = await facts.fixedIn(key);
  if (version === undefined) return undefined;
  const { isPrerelease } = schemeOf(key.system);
  if (isPrerelease(version) && !isPrerelease(key.version)) return undefined;
  const [record] = await facts.records([{ ...key, version }]);
  const { state } = proofOf(key.name, version, record);
  return state === 'good' ? { state, found: { version } } : undefined;
}

function isBreaking({ system, version }: VersionKey, to: string): boolean {
  const scheme = schemeOf(system);
  return scheme.isValid(version) && scheme.line(to) !== scheme.line(version);
}

function idOf({ name, version }: Pick<VersionKey, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** A format of each system with graphs or declared requirements, whose package manager re-locks. */
const FORMATS: Partial<Record<System, string>> = {
  NPM: 'npm-package-lock',
  CARGO: 'cargo-lock',
  PYPI: 'uv-lock',
  GO: 'go-mod',
};

/** In a lockfile of the two packages alone. */
async function wayOf(
  direct: VersionKey,
  key: VersionKey,
  facts: AdviceFacts,
  now: number,
): Promise<KnownWay> {
  const affected = packageOf(key, []);
  const holder = packageOf(direct, [affected.id]);
  const project = openProject({
    path: '',
    isWhole: false,
    format: FORMATS[key.system] ?? '',
    packages: [holder, affected],
    statement: { requirements: [], statesDirect: false, pins: [] },
  });
  const { way, graphs } = await findDirectWay({ direct: holder, affected, project, facts, now });
  if (way.state !== 'good') {
    return { kind: way.state === 'unknown' ? 'unknown' : 'none', brings: [], reason: way.reason };
  }
  const to = way.found.find(({ how }) => how === 'upgrade')?.to;
  const brings =
    graphs.findLast(({ good, version }) => good && version === (to ?? direct.version))?.brings ?? [];
  return to === undefined
    ? { kind: 'in-range', brings: [...brings] }
    : { kind: 'upgrade-direct', to, brings: [...brings] };
}

function packageOf(versionKey: VersionKey, dependencies: readonly string[]): ResolvedPackage {
  const { system, name, version } = versionKey;
  const ecosystem = purlTypeOf(system);
  return {
    id: idOf(versionKey),
    ecosystem,
    name,
    version,
    purl: writePurl(ecosystem, name, version),
    direct: dependencies.length > 0,
    groups: [],
    line: undefined,
    dependencies: [...dependencies],
    resolution: {
      outcome: 'resolved',
      record: { versionKey, isDefault: false, isDeprecated: false, licenses: [], advisoryIds: [] },
    },
  };
}

/**
 * The fix of a finding by what is known of its package, without commands: the lockfile is not at hand. `undefined` when the way
 * of its direct dependency is not known.
 */
export function fixFromKnown(finding: Finding, known: KnownFix): Fix | undefined {
  const { name, version: from, direct } = finding.package;
  const [location] = finding.locations;
  const [first = ''] = location?.dependencyPath ?? [];
  const holder = splitId(first);
  const system = systemOf(finding.package.ecosystem);
  const isOwn = direct === true || (location?.dependencyPath.length ?? 0) < 2;
  const id = {
    name: system === undefined ? holder.name : canonicalName(holder.name, system),
    version: holder.from,
  };
  const way = isOwn ? ownWay(known) : (unfixedWay(known) ?? known.ways[idOf(id)]);
  if (way === undefined) return undefined;
  const upgraded = isOwn ? { name, from } : holder;
  return {
    kind: way.kind,
    path: location?.path ?? '',
    ...defined({ version: known.version, breaking: known.breaking }),
    changes: [...changesOf(way, upgraded, { name, from }, system)],
    commands: [],
    ...defined({ reason: way.reason }),
    evidence: {
      ...defined({ from: known.from }),
      candidates: [...known.candidates],
      lookedAt: known.lookedAt,
      requirements: [],
      graphs:
        isOwn || way.to === undefined
          ? []
          : [{ name: upgraded.name, version: way.to, brings: [...way.brings], good: true }],
    },
  };
}

/** The way of a package that the target requires itself. */
function ownWay(known: KnownFix): KnownWay {
  const { version: to } = known;
  return (
    unfixedWay(known) ?? { kind: 'upgrade-direct', brings: to === undefined ? [] : [to], ...(to && { to }) }
  );
}

/** `undefined` where a good version is known. */
function unfixedWay({ version, reason, isUnknown }: KnownFix): KnownWay | undefined {
  if (version !== undefined) return undefined;
  return { kind: isUnknown === true ? 'unknown' : 'none', brings: [], ...(reason && { reason }) };
}

/** The key of the package of a finding that a fix can be known of: an advisory affects it. Suppressed findings have one, too. */
export function fixKeyOf(finding: Pick<Finding, 'package' | 'advisory'>): VersionKey | undefined {
  const { ecosystem, name, version } = finding.package;
  const system = systemOf(ecosystem);
  if (system === undefined || finding.advisory === undefined) return undefined;
  return { system, name: canonicalName(name, system), version: canonicalVersion(version, name, system) };
}

/** The question whose answer is known: the version, and the direct dependencies whose ways are known. */
export function knownQuestion(key: VersionKey, { ways }: KnownFix): FixQuestion {
  const directs = Object.keys(ways).map((id) => {
    const { name, from: version } = splitId(id);
    return { system: key.system, name, version };
  });
  return { key, directs };
}

/** The question that decides the fix of a finding by what is known, as text. `undefined` when none can be known. */
export function fixQuestionOf(finding: Finding): string | undefined {
  if (fixKeyOf(finding) === undefined) return undefined;
  const { ecosystem, name, version, direct } = finding.package;
  const [first, ...others] = finding.locations[0]?.dependencyPath ?? [];
  return JSON.stringify([ecosystem, name, version, direct, first, others.length > 0]);
}

/** Reads what is known of the fix of each finding, in order; `undefined` where nothing is. */
export async function readFixesOf(
  findings: readonly Finding[],
  read: KnownFixes['read'],
): Promise<readonly (KnownFix | undefined)[]> {
  const keys = findings.map(fixKeyOf);
  const known = await read(keys.flatMap((key) => key ?? []));
  let next = 0;
  return keys.map((key) => (key === undefined ? undefined : known[next++]));
}

/** The finding with its fix by what is known of its package; unchanged where that does not decide it. */
export function withKnownFix(finding: Finding, known: KnownFix | undefined): Finding {
  const fix = known === undefined ? undefined : fixFromKnown(finding, known);
  return fix === undefined
    ? finding
    : { ...finding, advice: sentenceOf(finding.package.name, fix), fixes: [fix] };
}

function changesOf(
  { kind, to, brings }: KnownWay,
  upgraded: Pick<FixChange, 'name' | 'from'>,
  own: Pick<FixChange, 'name' | 'from'>,
  system: System | undefined,
): readonly FixChange[] {
  if (kind === 'upgrade-direct' && to !== undefined) {
    const isOther =
      system !== undefined && isBreaking({ system, name: upgraded.name, version: upgraded.from }, to);
    return [{ ...upgraded, to, how: 'upgrade', ...(isOther ? { breaking: true } : {}) }];
  }
  const [brought] = brings;
  return kind === 'in-range' && brought !== undefined ? [{ ...own, to: brought, how: 're-lock' }] : [];
}

function splitId(id: string): Pick<FixChange, 'name' | 'from'> {
  const at = id.lastIndexOf('@');
  return { name: id.slice(0, at), from: id.slice(at + 1) };
}
