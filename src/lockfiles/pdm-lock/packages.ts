import type { Group, Integrity, Source } from '../../model/scan/lockfile.ts';
import { parseDigests } from '../ecosystems/python-digests.ts';
import { indexByPythonName } from '../ecosystems/python-index.ts';
import { normalizedName, requirementName } from '../ecosystems/python-names.ts';
import { reportNewerVersion } from '../newer-version.ts';
import { withoutCredentials } from '../packages/credentials.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { draftLockedPackage } from '../packages/package-draft.ts';
import { Reading } from '../reading.ts';
import { isTable, type Table, tablesIn, textIn, textsIn } from '../syntax/parse-toml.ts';
import { tableLines } from '../syntax/table-lines.ts';

const NEWEST_VERSION = 4;

/** Reads the packages; an entry for an extra of a package is that package. */
export function readPackages(root: Table, text: string, direct: ReadonlySet<string> | undefined) {
  const reading = new Reading();
  const lines = tableLines(text, 'package');
  const metadata = isTable(root['metadata']) ? root['metadata'] : {};
  reportNewerVersion(reading.problem.bind(reading), metadata['lock_version'], NEWEST_VERSION);
  const files = isTable(metadata['files']) ? metadata['files'] : {};
  const read: { readonly table: Table; readonly draft: PackageDraft }[] = [];
  for (const [index, table] of tablesIn(root['package']).entries()) {
    const line = lines(index);
    const name = textIn(table['name']) ?? '';
    const version = textIn(table['version']) ?? '';
    const source = sourceOf(table);
    // The project itself.
    if (source.kind === 'path' && /^\.?\/?$/.test(source.path)) continue;
    const stated = draftLockedPackage({
      ecosystem: 'pypi',
      name,
      version,
      source,
      line,
      direct: direct?.has(normalizedName(name)),
      groups: groupsOf(table),
      integrity: integrityOf(table, files[`${name} ${version}`]),
    });
    const draft = reading.take(stated, line, name);
    if (draft !== undefined) read.push({ table, draft });
  }
  connectAll(read, reading);
  return reading.result();
}

/** Dependencies are requirements of PEP 508; the versions that the file holds of a name are all that can be meant. */
function connectAll(
  read: readonly { readonly table: Table; readonly draft: PackageDraft }[],
  reading: Reading,
): void {
  const named = indexByPythonName(
    read.map(({ draft }) => draft),
    reading,
  );
  for (const { table, draft } of read) {
    const needed = textsIn(table['dependencies']).flatMap((requirement) => {
      const name = requirementName(requirement);
      return name === undefined ? [] : named(name).map(({ id }) => id);
    });
    connect(
      draft,
      [...new Set(needed)].filter((id) => id !== draft.id),
    );
  }
}

/** `groups`, before 4.4 `sections`: what `default` needs is always installed, `dev` for development, others by name. */
function groupsOf(table: Table): readonly Group[] {
  const groups = [...textsIn(table['groups']), ...textsIn(table['sections'])];
  if (groups.length === 0 || groups.includes('default')) return [];
  return groups.includes('dev') ? [...new Set(groups)] : [...new Set(['optional', ...groups])];
}

function sourceOf(table: Table): Source {
  const git = textIn(table['git']);
  const path = textIn(table['path']);
  const url = textIn(table['url']);
  if (git !== undefined) {
    const commit = textIn(table['revision']) ?? textIn(table['ref']);
    const from = withoutCredentials(git);
    return commit === undefined ? { kind: 'git', url: from } : { kind: 'git', url: from, commit };
  }
  if (path !== undefined) return { kind: 'path', path };
  return url === undefined ? { kind: 'registry' } : { kind: 'url', url: withoutCredentials(url) };
}

function integrityOf(table: Table, beside: unknown): readonly Integrity[] {
  const files = [...tablesIn(table['files']), ...tablesIn(beside)];
  return parseDigests(files.flatMap((file) => textIn(file['hash']) ?? []));
}
