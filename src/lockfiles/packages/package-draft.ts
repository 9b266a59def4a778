import type { Group, Integrity, Source } from '../../model/scan/lockfile.ts';
import { withoutSecrets } from './credentials.ts';
import { type PackageDraft, packageId } from './package-collector.ts';
import { buildPurl, plainNpmPurl } from './purl.ts';

export interface DraftParts {
  /** purl type. */
  readonly ecosystem: string;
  /** As the ecosystem writes it. */
  readonly name: string;
  /** Empty when the file states none. */
  readonly version: string;
  readonly source?: Source;
  readonly line: number | undefined;
  readonly direct?: boolean | undefined;
  readonly groups?: readonly Group[];
  readonly integrity?: readonly Integrity[];
  /** Of the purl, beside those that the source asks for. */
  readonly qualifiers?: Readonly<Record<string, string>>;
}

/** Places that are written where none is expected may hold credentials too. */
function withoutSecretsIn(parts: DraftParts, source: Source): DraftParts {
  const clean = (text: string) => withoutSecrets(text).replaceAll('://', ':');
  return {
    ...parts,
    version: clean(parts.version),
    source: source.kind === 'path' ? { ...source, path: clean(source.path) } : source,
  };
}

const NOTHING: readonly never[] = [];
const REGISTRY: Source = { kind: 'registry' };

/** A package as one entry of a file states it; the reason when an entry like that can be no package. */
export function draftPackage(parts: DraftParts): PackageDraft | string {
  const { ecosystem, name, version, source = REGISTRY } = parts;
  const label = `${name}@${version}`;
  // Nearly all of npm's, for which nothing else has to be looked at.
  if (ecosystem === 'npm' && source.kind === 'registry' && parts.qualifiers === undefined) {
    const plain = plainNpmPurl(label);
    if (plain !== undefined) return draftOf(parts, { id: label, purl: plain, source });
  }
  if (name === '') return 'has no name';
  if (name.includes('://')) return 'has a place where its name should be';
  if (version.includes('://') || (source.kind === 'path' && source.path.includes('://'))) {
    return draftPackage(withoutSecretsIn(parts, source));
  }
  const purl = purlOf(parts, source);
  if (purl === undefined) {
    return `has a name or version that no purl can hold: ${name.slice(0, 200)}@${version.slice(0, 200)}`;
  }
  return draftOf(parts, { id: packageId(name, version, source), purl, source });
}

/** The same for a file that locks versions: what comes from a registry has one. */
export function draftLockedPackage(parts: DraftParts): PackageDraft | string {
  const { name, version, source = REGISTRY } = parts;
  return name !== '' && version === '' && source.kind === 'registry' ? 'has no version' : draftPackage(parts);
}

function draftOf(
  { ecosystem, name, version, line, direct, groups, integrity }: DraftParts,
  { id, purl, source }: Pick<PackageDraft, 'id' | 'purl' | 'source'>,
): PackageDraft {
  return {
    id,
    ecosystem,
    name,
    version,
    purl,
    direct,
    groups: groups ?? NOTHING,
    integrity: integrity ?? NOTHING,
    source,
    line,
    dependencies: undefined,
  };
}

/** Ecosystems whose names hold a namespace, with what parts the two. */
const NAMESPACE_END: Readonly<Record<string, string>> = { npm: '/', golang: '/', maven: ':', composer: '/' };

function purlOf(parts: DraftParts, source: Source): string | undefined {
  const { ecosystem, name, version } = parts;
  const end = NAMESPACE_END[ecosystem];
  const at = end === undefined ? -1 : name.lastIndexOf(end);
  const qualifiers = qualifiersOf(source, parts.qualifiers);
  try {
    return buildPurl({
      type: ecosystem,
      namespace: at < 0 ? undefined : name.slice(0, at),
      name: name.slice(at + 1),
      version,
      ...(qualifiers === undefined ? {} : { qualifiers }),
    });
  } catch {
    // The caller reports the entry.
    return undefined;
  }
}

function qualifiersOf(source: Source, stated: DraftParts['qualifiers']): DraftParts['qualifiers'] {
  if (source.kind === 'git') {
    const commit = source.commit === undefined ? '' : `@${source.commit}`;
    return { ...stated, vcs_url: `${source.url}${commit}` };
  }
  return source.kind === 'url' ? { ...stated, download_url: source.url } : stated;
}
