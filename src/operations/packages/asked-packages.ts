import type { AdviceFacts } from '../../advice/facts.ts';
import { readPurl } from '../../lockfiles/packages/read-purl.ts';
import { messageOf } from '../../model/errors.ts';
import { canonicalVersion, systemOf, writePurl } from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage, Source } from '../../model/lockfile/lockfile.ts';
import type { PublishedVersion } from '../../model/ports/insights.ts';
import { schemeOf } from '../../versions/scheme.ts';
import { isPlain, versionMatch } from '../../versions/version-match.ts';
import type { VersionScheme } from '../../versions/version-scheme.ts';
import { type PackageQuery, purlTypeNamed, readPackageQuery } from './query.ts';

/** A package that somebody wants to add. */
export interface AskedPackage extends Omit<PackageQuery, 'ecosystem'> {
  readonly ecosystem: string;
  readonly source: Source;
}

/** Reads a purl, or a name of an ecosystem, with a version or range or neither. Returns why it cannot be read. */
export function readAsked(text: string, ecosystem: string): AskedPackage | string {
  // Reasons repeat both.
  if (text.length > 1_000 || ecosystem.length > 1_000) return 'it is longer than 1,000 characters';
  const isPurl = text.trim().startsWith('pkg:');
  try {
    const query = readPackageQuery(text, isPurl ? {} : { ecosystem: purlTypeNamed(ecosystem) });
    // Qualifiers may say that the package comes from another place than its public registry.
    const purl = isPurl ? readPurl(text.trim(), '') : '';
    const isRead = typeof purl !== 'string';
    if (isPurl && !isRead && /[?#]/.test(text)) return `the purl cannot be read: ${purl}`;
    const source = isRead ? purl.source : ({ kind: 'registry' } as const);
    return { ...query, ecosystem: query.ecosystem ?? '', source };
  } catch (error) {
    return messageOf(error);
  }
}

/** The version that would be added, or the reason why no version was chosen. */
export interface Chosen {
  readonly locked?: LockedPackage;
  readonly code?: 'missing' | 'unknown';
  readonly text?: string;
}

/**
 * The version that was asked for, or the one that a package manager would choose: the default version, or else the highest that fits, and a
 * pre-release only where nothing else does.
 */
export async function choose(
  asked: AskedPackage,
  facts: Pick<AdviceFacts, 'versions'>,
  signal: AbortSignal,
): Promise<Chosen> {
  const { ecosystem, name, source } = asked;
  const versions = asked.versions === 'latest' ? '' : asked.versions;
  const system = systemOf(ecosystem);
  const isFixed = source.kind !== 'registry' || source.url !== undefined;
  if (system === undefined || isFixed) return { locked: lockedOf(asked, versions) };
  const scheme = schemeOf(system);
  const exact = canonicalVersion(versions, name, system);
  if (isPlain(exact) && scheme.isValid(exact)) return { locked: lockedOf(asked, versions) };
  const match = versionMatch(versions, ecosystem);
  if (typeof match === 'string') return { code: 'unknown', text: match };
  try {
    const published = await facts.versions({ system, name });
    if (published === undefined) return { code: 'missing', text: 'the index has no package of this name' };
    const found = preferred(
      published.versions.filter(({ version }) => match(version)),
      scheme,
    );
    if (found !== undefined) return { locked: lockedOf(asked, found.version) };
    return published.isPartial === true
      ? { code: 'unknown', text: 'the list of its versions is partial' }
      : {
          code: 'missing',
          text: versions === '' ? 'the index has no version of it' : `no published version fits ${versions}`,
        };
  } catch (error) {
    signal.throwIfAborted();
    return { code: 'unknown', text: messageOf(error) };
  }
}

function preferred(
  fitting: readonly PublishedVersion[],
  { isValid, isPrerelease, compare }: VersionScheme,
): PublishedVersion | undefined {
  const usual = fitting.find((one) => one.isDefault);
  // Most often there is one, and sorting the versions of a package takes longer than all else.
  if (usual !== undefined) return usual;
  const sorted = fitting
    .filter(({ version }) => isValid(version))
    .sort((left, right) => compare(right.version, left.version));
  return sorted.find(({ version }) => !isPrerelease(version)) ?? sorted[0] ?? fitting[0];
}

/** The package as a target has it that adds it. */
export function lockedOf(
  { ecosystem, name, source }: Pick<AskedPackage, 'ecosystem' | 'name' | 'source'>,
  version: string,
): LockedPackage {
  const purl = writePurl(ecosystem, name, version === '' ? undefined : version);
  const id = `${name}@${version}`;
  const facts = { direct: true, groups: [], integrity: [], line: undefined, dependencies: undefined };
  return { id, ecosystem, name, version, purl, source, ...facts };
}
