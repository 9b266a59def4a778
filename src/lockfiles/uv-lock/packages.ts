import type { Integrity } from '../../model/scan/lockfile.ts';
import { parseDigests } from '../ecosystems/python-digests.ts';
import { indexByPythonName } from '../ecosystems/python-index.ts';
import { normalizedName } from '../ecosystems/python-names.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { draftLockedPackage } from '../packages/package-draft.ts';
import { type Root, spreadGroups } from '../packages/spread-groups.ts';
import { Reading } from '../reading.ts';
import { isTable, membersOf, type Table, tablesIn, textIn, textsIn } from '../syntax/parse-toml.ts';
import { tableLines } from '../syntax/table-lines.ts';
import { isOwn, sourceOf } from './source.ts';

/** An entry of the file: without a draft the target's own, or one that cannot be read. */
interface Entry {
  readonly table: Table;
  readonly own: boolean;
  readonly draft: PackageDraft | undefined;
}

/** Reads the packages; the root and workspace members are the target, and what they ask for is direct. */
export function readPackages(root: Table, text: string) {
  const reading = new Reading();
  const lines = tableLines(text, 'package');
  const manifest = isTable(root['manifest']) ? root['manifest'] : {};
  const members = new Set(textsIn(manifest['members']).map(normalizedName));
  const entries = tablesIn(root['package']).map((table, index) =>
    readEntry(table, lines(index), members, reading),
  );
  const find = finderOf(entries, reading);
  const needs = new Map<PackageDraft, PackageDraft[]>();
  for (const { table, draft } of entries) {
    if (draft === undefined) continue;
    const extras = membersOf(table['optional-dependencies']).flatMap(([, list]) => find(list));
    const needed = [...new Set([...find(table['dependencies']), ...extras])].filter((one) => one !== draft);
    const known = needs.get(draft);
    if (known === undefined) needs.set(draft, needed);
    else for (const one of needed) known.push(one);
    connect(
      draft,
      needed.map(({ id }) => id),
    );
  }
  const roots = [...rootsOf(entries, find), ...rootsOfManifest(manifest, entries)];
  for (const { draft } of roots) draft.direct = true;
  spreadGroups(roots, (draft) => ({ always: needs.get(draft) ?? [], optional: [] }));
  return reading.result();
}

function readEntry(
  table: Table,
  line: number | undefined,
  members: ReadonlySet<string>,
  reading: Reading,
): Entry {
  const name = textIn(table['name']) ?? '';
  if (isOwn(table['source'], members.has(normalizedName(name))))
    return { table, own: true, draft: undefined };
  const version = textIn(table['version']) ?? '';
  const source = sourceOf(table['source']);
  const stated = draftLockedPackage({
    ecosystem: 'pypi',
    name,
    version,
    source,
    line,
    direct: false,
    integrity: integrityOf(table),
  });
  return { table, own: false, draft: reading.take(stated, line, name) };
}

function integrityOf(table: Table): readonly Integrity[] {
  const files = [...(isTable(table['sdist']) ? [table['sdist']] : []), ...tablesIn(table['wheels'])];
  return parseDigests(files.flatMap((file) => textIn(file['hash']) ?? []));
}

/** Finds what a list of dependencies names: a version and a source are stated where the name alone is not enough. */
function finderOf(entries: readonly Entry[], reading: Reading): (list: unknown) => readonly PackageDraft[] {
  const namedAs = indexByPythonName(
    entries.flatMap(({ draft }) => draft ?? []),
    reading,
  );
  return (list) =>
    tablesIn(list).flatMap((wanted) => {
      const { version } = wanted;
      const named = namedAs(textIn(wanted['name']) ?? '');
      return named.filter((one) => version === undefined || one.version === version);
    });
}

function rootsOf(
  entries: readonly Entry[],
  find: (list: unknown) => readonly PackageDraft[],
): readonly Root<PackageDraft>[] {
  return entries
    .filter(({ own }) => own)
    .flatMap(({ table }) => [
      ...find(table['dependencies']).map((draft) => ({ draft, groups: [] })),
      ...membersOf(table['optional-dependencies']).flatMap(([extra, list]) =>
        find(list).map((draft) => ({ draft, groups: ['optional', extra] })),
      ),
      ...membersOf(table['dev-dependencies']).flatMap(([group, list]) =>
        find(list).map((draft) => ({ draft, groups: ['dev', group] })),
      ),
    ]);
}

/** A workspace without a root package keeps its requirements in the manifest, as a script does. */
function rootsOfManifest(manifest: Table, entries: readonly Entry[]): readonly Root<PackageDraft>[] {
  const named = (list: unknown, groups: readonly string[]): readonly Root<PackageDraft>[] => {
    const names = new Set(tablesIn(list).map((one) => normalizedName(textIn(one['name']) ?? '')));
    return entries.flatMap(({ draft }) =>
      draft !== undefined && names.has(normalizedName(draft.name)) ? [{ draft, groups }] : [],
    );
  };
  return [
    ...named(manifest['requirements'], []),
    ...membersOf(manifest['dependency-groups']).flatMap(([group, list]) => named(list, ['dev', group])),
  ];
}
