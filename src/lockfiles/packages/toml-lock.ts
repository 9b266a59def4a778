import { unsupported } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { type Table, tablesIn, textIn } from '../syntax/parse-toml.ts';
import { parseTomlTables } from '../syntax/toml-blocks.ts';
import { type DraftParts, draftLockedPackage, type LockfileBuilder } from './lockfile-builder.ts';
import { connect, type PackageDraft } from './package-collector.ts';

/** A TOML lockfile: a list of package tables that name their dependencies. Python's tools and Cargo write this form. */
interface TomlLock extends Pick<Format, 'name' | 'title' | 'fileNames' | 'recognises' | 'companions'> {
  readonly ecosystem: string;
  readonly hasGroups: boolean;
  /** Key of the list of packages. */
  readonly list: string;
  /** Major versions of the format, ascending. Newer ones are read as far as possible or refused. */
  readonly versions: {
    readonly supported: readonly number[];
    readonly newer: 'read' | 'refuse';
    readonly type: 'number' | 'string';
    statedIn(root: Table): unknown;
  };
  /** Whether files may leave out all edges. The edges are unknown then. */
  readonly mayOmitEdges?: boolean;
  /** The rules for one file. */
  rulesFor(root: Table, input: LockfileInput): TomlRules;
}

export interface TomlRules {
  /** Reads an entry apart from its name and version. */
  read(table: Table, name: string, version: string): Details | NoPackage;
  /** Returns the function that finds the packages on which an entry depends. */
  finder(entries: readonly TomlEntry[], builder: LockfileBuilder): Find;
  /** Called after all packages are connected. */
  finish?(entries: readonly TomlEntry[], find: Find): void;
}

export type Find = (table: Table) => readonly PackageDraft[];
type Details = Pick<DraftParts, 'source' | 'direct' | 'groups' | 'integrity'> & {
  /** The version of the package, where the entry states none. */
  readonly version?: string;
};

/** `own`: the target's own package. `replaced`: another entry takes its place. */
type NoPackage = 'own' | 'replaced' | { readonly fault: string };

export interface TomlEntry {
  readonly table: Table;
  readonly isOwn: boolean;
  /** `undefined` for an entry that is not a package or cannot be read. */
  readonly draft: PackageDraft | undefined;
}

export function tomlFormat(lock: TomlLock): Format {
  const { name, title, ecosystem, fileNames, companions, hasGroups, mayOmitEdges = false } = lock;
  return {
    name,
    title,
    ecosystem,
    fileNames,
    facts: { edges: true, groups: hasGroups, integrity: true, lines: true },
    conditions: mayOmitEdges ? { edges: 'where stated' } : {},
    mayBeEmpty: false,
    ...(companions && { companions }),
    recognises: lock.recognises,
    read: (input, builder) => readTomlLock(lock, input, builder),
  };
}

function readTomlLock(lock: TomlLock, input: LockfileInput, builder: LockfileBuilder): void {
  const { root, lines } = parseTomlTables(input.text, input.path, lock.list, input.memo);
  checkVersion(lock, root, input.path, builder);
  const rules = lock.rulesFor(root, input);
  const entries = tablesIn(root[lock.list]).map((table, index) => {
    const name = textIn(table['name']) ?? '';
    const version = textIn(table['version']) ?? '';
    const line = lines(index);
    const read = rules.read(table, name, version);
    if (read === 'own')
      builder.own(Object.keys(table).some((key) => key.endsWith('dependencies') || key === 'metadata'));
    if (typeof read === 'string') return { table, isOwn: read === 'own', draft: undefined };
    const { ecosystem } = lock;
    const draft =
      'fault' in read ? read.fault : draftLockedPackage({ ecosystem, name, version, line, ...read });
    return { table, isOwn: false, draft: builder.add(draft, line, name) };
  });
  const find = rules.finder(entries, builder);
  const hasEdges = entries.some(({ table, isOwn }) => !isOwn && table['dependencies'] !== undefined);
  if (lock.mayOmitEdges === true && !hasEdges) return;
  for (const { table, draft } of entries) {
    if (draft === undefined) continue;
    const ids = new Set(find(table).map(({ id }) => id));
    ids.delete(draft.id);
    connect(draft, [...ids]);
  }
  rules.finish?.(entries, find);
}

function checkVersion({ versions }: TomlLock, root: Table, path: string, builder: LockfileBuilder): void {
  const { supported, newer, type } = versions;
  const stated = versions.statedIn(root);
  if (newer === 'read') {
    builder.checkVersion(stated, supported.at(-1) ?? 0);
    return;
  }
  const major = typeof stated === 'string' ? Number(/^\d+(?=\.|$)/.exec(stated)?.[0]) : stated;
  const isSupported = supported.some((one) => one === major) && typeof stated === type;
  if (stated === undefined || isSupported) return;
  const shown = typeof stated === 'object' ? 'that is not a number or string' : String(stated).slice(0, 40);
  throw unsupported(path, `format version ${shown}`, supported.join(', '));
}
