import type { Group, Integrity, Source } from '../../model/scan/lockfile.ts';
import { parseDigests } from '../ecosystems/python-digests.ts';
import { indexByPythonName } from '../ecosystems/python-index.ts';
import { normalizedName } from '../ecosystems/python-names.ts';
import { withoutCredentials } from '../packages/credentials.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { draftLockedPackage } from '../packages/package-draft.ts';
import { Reading } from '../reading.ts';
import { isTable, membersOf, type Table, tablesIn, textIn, textsIn } from '../syntax/parse-toml.ts';
import { tableLines } from '../syntax/table-lines.ts';

/** Reads the packages; `direct` holds the names of the manifest, where there is one. */
export function readPackages(root: Table, text: string, direct: ReadonlySet<string> | undefined) {
  const reading = new Reading();
  const lines = tableLines(text, 'package');
  const digests = digestsBeside(root);
  const read: { readonly table: Table; readonly draft: PackageDraft }[] = [];
  for (const [index, table] of tablesIn(root['package']).entries()) {
    const line = lines(index);
    const name = textIn(table['name']) ?? '';
    const version = textIn(table['version']) ?? '';
    const stated = draftLockedPackage({
      ecosystem: 'pypi',
      name,
      version,
      source: sourceOf(table['source']),
      line,
      direct: direct?.has(normalizedName(name)),
      groups: groupsOf(table),
      integrity: integrityOf(table, digests.get(normalizedName(name)), version),
    });
    const draft = reading.take(stated, line, name);
    if (draft !== undefined) read.push({ table, draft });
  }
  const named = indexByPythonName(
    read.map(({ draft }) => draft),
    reading,
  );
  for (const { table, draft } of read) {
    const needed = membersOf(table['dependencies']).flatMap(([name]) => named(name).map(({ id }) => id));
    connect(
      draft,
      [...new Set(needed)].filter((id) => id !== draft.id),
    );
  }
  return reading.result();
}

/** `category` until lock-version 2.0, `groups` from 2.1 on; an optional package is in no group that is installed. */
function groupsOf(table: Table): readonly Group[] {
  const groups = textsIn(table['groups']);
  const found: Group[] = table['optional'] === true ? ['optional'] : [];
  if (textIn(table['category']) === 'dev') found.push('dev');
  if (groups.length > 0 && !groups.includes('main')) found.push('dev', ...groups);
  return [...new Set(found)];
}

function sourceOf(stated: unknown): Source {
  if (!isTable(stated)) return { kind: 'registry' };
  const url = withoutCredentials(textIn(stated['url']) ?? '');
  switch (stated['type']) {
    case 'git': {
      const commit = textIn(stated['resolved_reference']) ?? textIn(stated['reference']);
      return commit === undefined ? { kind: 'git', url } : { kind: 'git', url, commit };
    }
    case 'directory':
    case 'file':
      return { kind: 'path', path: url };
    case 'url':
      return { kind: 'url', url };
    default:
      return url === '' ? { kind: 'registry' } : { kind: 'registry', url };
  }
}

/** Digests that stand beside the packages. */
interface Beside {
  readonly list: unknown;
  /** How many packages of the name there are. */
  packages: number;
}

const MAX_VERSIONS = 100;

/** Until lock-version 2.0 the files stand in `[metadata.files]`, and before 1.0 their digests in `[metadata.hashes]`. */
function digestsBeside(root: Table): ReadonlyMap<string, Beside> {
  const metadata = isTable(root['metadata']) ? root['metadata'] : {};
  const found = new Map<string, Beside>();
  for (const [name, list] of [...membersOf(metadata['hashes']), ...membersOf(metadata['files'])]) {
    found.set(normalizedName(name), { list, packages: 0 });
  }
  for (const { name } of tablesIn(root['package'])) {
    const beside = found.get(normalizedName(textIn(name) ?? ''));
    if (beside !== undefined) beside.packages += 1;
  }
  return found;
}

function integrityOf(table: Table, beside: Beside | undefined, version: string): readonly Integrity[] {
  const own = tablesIn(table['files']);
  if (own.length > 0) return parseDigests(own.flatMap((file) => textIn(file['hash']) ?? []));
  if (beside === undefined) return [];
  const { list, packages } = beside;
  // No honest file locks a name in as many versions, and each looks through the whole list.
  if (packages > MAX_VERSIONS) return [];
  // One list for all versions of a name: where there are several, a file belongs to the version that it names.
  const files = tablesIn(list).filter(
    (file) => packages === 1 || isOfVersion(textIn(file['file']) ?? '', version),
  );
  const bare = textsIn(list).map((digest) => (digest.includes(':') ? digest : `sha256:${digest}`));
  return parseDigests([...files.flatMap((file) => textIn(file['hash']) ?? []), ...bare]);
}

/** `name-version-…` or `name-version.tar.gz`. */
function isOfVersion(file: string, version: string): boolean {
  return file.includes(`-${version}-`) || file.includes(`-${version}.`);
}
