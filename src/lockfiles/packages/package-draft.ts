import type { Group, Integrity, Source } from '../../model/lockfile/lockfile.ts';
import { withoutSecrets } from './credentials.ts';
import { type PackageDraft, packageId } from './package-collector.ts';
import { buildPurl, type PurlParts, plainNpmPurl } from './purl.ts';
import { REGISTRY } from './sources.ts';

export interface DraftParts {
  /** purl type. */
  readonly ecosystem: string;
  /** As the ecosystem writes it. */
  readonly name: string;
  /** Empty when the file has none. */
  readonly version: string;
  readonly source?: Source | undefined;
  readonly line: number | undefined;
  readonly direct?: boolean | undefined;
  readonly groups?: readonly Group[] | undefined;
  readonly integrity?: readonly Integrity[] | undefined;
  readonly installScript?: boolean | undefined;
}

/** Removes credentials from locations in fields that should not contain any. */
function withoutSecretsIn(parts: DraftParts, source: Source): DraftParts {
  const clean = (text: string) => withoutSecrets(text).replaceAll('://', ':');
  return {
    ...parts,
    version: clean(parts.version),
    source: source.kind === 'path' ? { ...source, path: clean(source.path) } : source,
  };
}

const NOTHING: readonly never[] = [];

/** Returns the package of one entry of a file, or why the entry is invalid. */
export function draftPackage(parts: DraftParts): PackageDraft | string {
  const { ecosystem, name, version, source = REGISTRY } = parts;
  const label = `${name}@${version}`;
  // A fast path for nearly all npm packages.
  if (ecosystem === 'npm' && source.kind === 'registry') {
    const plain = plainNpmPurl(label);
    if (plain !== undefined) return draftOf(parts, source, label, plain);
  }
  if (name === '') return 'has no name';
  if (name.includes('://')) return 'has a location in place of its name';
  if (version.includes('://') || (source.kind === 'path' && source.path.includes('://'))) {
    return draftPackage(withoutSecretsIn(parts, source));
  }
  const purl = purlOf(parts, source);
  if (purl === undefined) {
    return `has a name or version that is not valid in a purl: ${name.slice(0, 200)}@${version.slice(0, 200)}`;
  }
  return draftOf(parts, source, packageId(name, version, source), purl);
}

/** The same for a file that locks versions. A package from a registry must have one. */
export function draftLockedPackage(parts: DraftParts): PackageDraft | string {
  const { name, version, source = REGISTRY } = parts;
  return name !== '' && version === '' && source.kind === 'registry' ? 'has no version' : draftPackage(parts);
}

function draftOf(parts: DraftParts, source: Source, id: string, purl: string): PackageDraft {
  const { ecosystem, name, version, line, direct, groups = NOTHING, integrity = NOTHING } = parts;
  const draft: PackageDraft = {
    id,
    ecosystem,
    name,
    version,
    purl,
    direct,
    groups,
    integrity,
    source,
    line,
    dependencies: undefined,
  };
  if (parts.installScript === true) draft.installScript = true;
  return draft;
}

/** The separator between namespace and name, for ecosystems that have namespaces. */
const NAMESPACE_END: Readonly<Record<string, string>> = { npm: '/', golang: '/', maven: ':', composer: '/' };

function purlOf(parts: DraftParts, source: Source): string | undefined {
  const { ecosystem, name, version } = parts;
  const end = NAMESPACE_END[ecosystem];
  const at = end === undefined ? -1 : name.lastIndexOf(end);
  try {
    return buildPurl({
      type: ecosystem,
      namespace: at < 0 ? undefined : name.slice(0, at),
      name: name.slice(at + 1),
      version,
      qualifiers: qualifiersOf(source),
    });
  } catch {
    // packageurl-js refuses the parts; the caller reports the entry.
    return undefined;
  }
}

function qualifiersOf(source: Source): PurlParts['qualifiers'] {
  if (source.kind === 'git') {
    const commit = source.commit === undefined ? '' : `@${source.commit}`;
    return { vcs_url: `${source.url}${commit}` };
  }
  return source.kind === 'url' ? { download_url: source.url } : undefined;
}
