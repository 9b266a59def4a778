import type { Source } from '../../model/lockfile.ts';
import { type PackageDraft, packageId } from '../package-collector.ts';
import { buildPurl } from '../purl.ts';
import { type Entry, textField } from './entry.ts';
import { groupsOf } from './groups.ts';
import { parseIntegrity } from './integrity.ts';
import { isLocation, sourceOf } from './source.ts';

export interface PlacedEntry {
  readonly entry: Entry;
  /** Name of the folder it is installed in: the package's own name, unless it is an alias. */
  readonly folder: string;
  readonly line: number | undefined;
  /** `false` as long as nothing of the target is known to ask for it; `undefined` when that cannot be known. */
  readonly direct: false | undefined;
}

const ALIAS = /^npm:((?:@[^/@]+\/)?[^@]+)(?:@(.+))?$/;

/** Reads an entry whose fields have the right types; a reason when it cannot be a package all the same. */
export function readEntry({ entry, folder, line, direct }: PlacedEntry): PackageDraft | string {
  const stated = textField(entry, 'version');
  const alias = stated?.startsWith('npm:') ? ALIAS.exec(stated) : null;
  const name = textField(entry, 'name') ?? alias?.[1] ?? folder;
  const version = alias === null ? (isLocation(stated) ? '' : (stated ?? '')) : (alias[2] ?? '');
  const source = sourceOf(textField(entry, 'resolved'), stated);
  if (name === '') return 'has no name';
  if (version === '' && source.kind === 'registry') return `${name} has no version`;
  try {
    return {
      id: packageId(name, version, source),
      ecosystem: 'npm',
      name,
      version,
      purl: purlOf(name, version, source),
      direct,
      groups: groupsOf(entry),
      integrity: parseIntegrity(textField(entry, 'integrity')),
      source,
      line,
      dependencies: undefined,
    };
  } catch (error) {
    return `${name} cannot be named by a purl: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function purlOf(fullName: string, version: string, source: Source): string {
  const slash = fullName.startsWith('@') ? fullName.indexOf('/') : -1;
  const namespace = slash < 0 ? undefined : fullName.slice(0, slash);
  const name = slash < 0 ? fullName : fullName.slice(slash + 1);
  const parts = { type: 'npm', namespace, name, version };
  if (source.kind === 'git') {
    const commit = source.commit === undefined ? '' : `@${source.commit}`;
    return buildPurl({ ...parts, qualifiers: { vcs_url: `${source.url}${commit}` } });
  }
  return source.kind === 'url'
    ? buildPurl({ ...parts, qualifiers: { download_url: source.url } })
    : buildPurl(parts);
}
