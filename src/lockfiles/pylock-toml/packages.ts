import type { Integrity, Source } from '../../model/scan/lockfile.ts';
import { indexByPythonName } from '../ecosystems/python-index.ts';
import { normalizedName } from '../ecosystems/python-names.ts';
import { withoutCredentials } from '../packages/credentials.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { draftLockedPackage } from '../packages/package-draft.ts';
import { Reading } from '../reading.ts';
import { isTable, membersOf, type Table, tablesIn, textIn } from '../syntax/parse-toml.ts';
import { tableLines } from '../syntax/table-lines.ts';
import { createGroupsOf } from './groups.ts';

interface Read {
  readonly table: Table;
  readonly draft: PackageDraft;
}

/** Reads the packages; the project itself, which is installed from its own folder, is the target. */
export function readPackages(root: Table, text: string, direct: ReadonlySet<string> | undefined) {
  const reading = new Reading();
  const lines = tableLines(text, 'packages');
  const groupsOf = createGroupsOf(root['default-groups']);
  const read: Read[] = [];
  let anyEdges = false;
  for (const [index, table] of tablesIn(root['packages']).entries()) {
    const line = lines(index);
    const source = sourceOf(table);
    if (source.kind === 'path' && /^\.?\/?$/.test(source.path)) continue;
    const name = textIn(table['name']) ?? '';
    const version = textIn(table['version']) ?? '';
    const stated = draftLockedPackage({
      ecosystem: 'pypi',
      name,
      version,
      source,
      line,
      direct: direct?.has(normalizedName(name)),
      groups: groupsOf(textIn(table['marker'])),
      integrity: integrityOf(table),
    });
    const draft = reading.take(stated, line, name);
    if (draft !== undefined) read.push({ table, draft });
    anyEdges ||= table['dependencies'] !== undefined;
  }
  // Dependencies are optional in the format: where no entry has any, nothing is known of them.
  if (anyEdges) connectAll(read, reading);
  return reading.result();
}

function connectAll(read: readonly Read[], reading: Reading): void {
  const namedAs = indexByPythonName(
    read.map(({ draft }) => draft),
    reading,
  );
  for (const { table, draft } of read) {
    const needed = tablesIn(table['dependencies']).flatMap((wanted) => {
      const { version } = wanted;
      return namedAs(textIn(wanted['name']) ?? '')
        .filter((one) => version === undefined || one.version === version)
        .map(({ id }) => id);
    });
    connect(draft, [...new Set(needed)]);
  }
}

function sourceOf(table: Table): Source {
  const { vcs, directory, archive } = table;
  if (isTable(vcs)) {
    const url = withoutCredentials(textIn(vcs['url']) ?? textIn(vcs['path']) ?? '');
    const commit = textIn(vcs['commit-id']);
    return commit === undefined ? { kind: 'git', url } : { kind: 'git', url, commit };
  }
  if (isTable(directory)) return { kind: 'path', path: textIn(directory['path']) ?? '' };
  if (isTable(archive)) {
    const url = textIn(archive['url']);
    return url === undefined
      ? { kind: 'path', path: textIn(archive['path']) ?? '' }
      : { kind: 'url', url: withoutCredentials(url) };
  }
  const index = textIn(table['index']);
  return index === undefined ? { kind: 'registry' } : { kind: 'registry', url: withoutCredentials(index) };
}

function integrityOf(table: Table): readonly Integrity[] {
  const files = [table['archive'], table['sdist'], ...tablesIn(table['wheels'])];
  const found = new Map<string, Integrity>();
  for (const file of files) {
    for (const [algorithm, value] of isTable(file) ? membersOf(file['hashes']) : []) {
      if (typeof value !== 'string') continue;
      found.set(`${algorithm}:${value}`, { algorithm: algorithm.toLowerCase(), value, encoding: 'hex' });
    }
  }
  return [...found.values()];
}
