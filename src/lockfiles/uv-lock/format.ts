import type { Integrity, Source } from '../../model/lockfile/lockfile.ts';
import { indexByPythonName, normalizedName, parseDigests } from '../ecosystems/python.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { propagateGroups, type Root } from '../packages/propagate-groups.ts';
import { gitSourceWithFragment, REGISTRY, registrySource, urlSource } from '../packages/sources.ts';
import { type Find, type TomlEntry, type TomlRules, tomlFormat } from '../packages/toml-lock.ts';
import { isTable, membersOf, type Table, tableIn, tablesIn, textIn, textsIn } from '../syntax/parse-toml.ts';

/** uv's lockfile. The root project and the workspace members are the target; their dependencies are direct. */
export const uvLock = tomlFormat({
  name: 'uv-lock',
  title: 'uv.lock (version 1)',
  ecosystem: 'pypi',
  fileNames: ['uv.lock', '*.py.lock'],
  hasGroups: true,
  list: 'package',
  versions: { supported: [1], newer: 'refuse', type: 'number', statedIn: (root) => root['version'] },
  recognises: (head) =>
    /^version = \d+\s/.test(head) && /^(?:requires-python = |\[\[package\]\])/m.test(head),
  rulesFor(root): TomlRules {
    const manifest = tableIn(root['manifest']);
    const members = new Set(textsIn(manifest['members']).map(normalizedName));
    let findIn: FindIn = () => [];
    return {
      read(table, name) {
        if (isOwn(table['source'], members.has(normalizedName(name)))) return 'own';
        return { source: sourceOf(table['source']), direct: false, integrity: digestsOf(table) };
      },
      finder(entries, builder) {
        const find = indexByPythonName(entries, builder);
        const stated = new Set(entries.map(({ table }) => normalizedName(textIn(table['name']) ?? '')));
        findIn = (list) =>
          tablesIn(list).flatMap(({ name: given, version }) => {
            const name = normalizedName(textIn(given) ?? '');
            if (!stated.has(name)) builder.lacksEntry(name);
            return find(name).filter((one) => version === undefined || one.version === version);
          });
        const found = new Map<Table, readonly PackageDraft[]>();
        return (table) => {
          const known = found.get(table) ?? [
            ...findIn(table['dependencies']),
            ...membersOf(table['optional-dependencies']).flatMap(([, list]) => findIn(list)),
          ];
          found.set(table, known);
          return known;
        };
      },
      finish(entries, find) {
        const roots = [...rootsOf(entries, findIn), ...rootsOfManifest(manifest, entries)];
        for (const { draft } of roots) draft.direct = true;
        propagate(roots, entries, find);
      },
    };
  },
});

/** Successive versions of a file share the tables of blocks that did not change. */
const DIGESTS = new WeakMap<Table, readonly Integrity[]>();

function digestsOf(table: Table): readonly Integrity[] {
  const files = () => [...tablesIn([table['sdist']]), ...tablesIn(table['wheels'])];
  const digests = DIGESTS.get(table) ?? parseDigests(files().flatMap((file) => textIn(file['hash']) ?? []));
  DIGESTS.set(table, digests);
  return digests;
}

/** Finds the packages in a list of dependencies, which states a version only where the name alone is ambiguous. */
type FindIn = (list: unknown) => readonly PackageDraft[];

function propagate(roots: readonly Root<PackageDraft>[], entries: readonly TomlEntry[], find: Find): void {
  const needs = new Map<PackageDraft, PackageDraft[]>();
  for (const { table, draft } of entries) {
    if (draft === undefined) continue;
    const known = needs.get(draft) ?? [];
    for (const one of new Set(find(table))) if (one !== draft) known.push(one);
    needs.set(draft, known);
  }
  propagateGroups(roots, (draft) => ({ always: needs.get(draft) ?? [], optional: [] }));
}

function rootsOf(entries: readonly TomlEntry[], findIn: FindIn): readonly Root<PackageDraft>[] {
  return entries
    .filter(({ isOwn }) => isOwn)
    .flatMap(({ table }) => [
      ...findIn(table['dependencies']).map((draft) => ({ draft, groups: [] })),
      ...membersOf(table['optional-dependencies']).flatMap(([extra, list]) =>
        findIn(list).map((draft) => ({ draft, groups: ['optional', extra] })),
      ),
      ...membersOf(table['dev-dependencies']).flatMap(([group, list]) =>
        findIn(list).map((draft) => ({ draft, groups: ['dev', group] })),
      ),
    ]);
}

/** A script, or a workspace without a root package, has its requirements in `[manifest]`. */
function rootsOfManifest(manifest: Table, entries: readonly TomlEntry[]): readonly Root<PackageDraft>[] {
  const rootsIn = (list: unknown, groups: readonly string[]): readonly Root<PackageDraft>[] => {
    const names = new Set(tablesIn(list).map((one) => normalizedName(textIn(one['name']) ?? '')));
    return entries.flatMap(({ draft }) =>
      draft !== undefined && names.has(normalizedName(draft.name)) ? [{ draft, groups }] : [],
    );
  };
  return [
    ...rootsIn(manifest['requirements'], []),
    ...membersOf(manifest['dependency-groups']).flatMap(([group, list]) => rootsIn(list, ['dev', group])),
  ];
}

/** Whether an entry is the target itself: a virtual project, the root, or a workspace member. */
function isOwn(source: unknown, isMember: boolean): boolean {
  if (!isTable(source)) return false;
  if (source['virtual'] !== undefined) return true;
  const path = textIn(source['editable']) ?? textIn(source['directory']);
  return path !== undefined && (isMember || path === '.');
}

function sourceOf(stated: unknown): Source {
  if (!isTable(stated)) return REGISTRY;
  const git = textIn(stated['git']);
  if (git !== undefined) return gitSourceWithFragment(git);
  const url = textIn(stated['url']);
  if (url !== undefined) return urlSource(url);
  const path = textIn(stated['path']) ?? textIn(stated['directory']) ?? textIn(stated['editable']);
  if (path !== undefined) return { kind: 'path', path };
  const registry = textIn(stated['registry']);
  // A registry can be a folder of archives.
  const isFolder = registry !== undefined && !/^[a-z]+:\/\//i.test(registry);
  return isFolder ? { kind: 'path', path: registry } : registrySource(registry);
}
