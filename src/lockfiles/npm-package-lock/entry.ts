import { isObject } from '../../model/json-object.ts';
import type { PackageDraft } from '../packages/package-collector.ts';

const NOTHING: readonly never[] = [];

/** Fields of an entry by their treatment: unchecked values, flags, and names of dependencies. */
export const VALUES = ['name', 'version', 'resolved', 'integrity', 'workspaces'] as const;
export const FLAGS = [
  'link',
  'dev',
  'optional',
  'devOptional',
  'peer',
  'inBundle',
  'bundled',
  'hasInstallScript',
] as const;
export const LISTS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'] as const;

type Value = (typeof VALUES)[number];
type Flag = (typeof FLAGS)[number];
type List = (typeof LISTS)[number];
type Field = Value | Flag | List | 'requires' | 'packages' | 'lockfileVersion';

/** An object of the file: an entry, a manifest or the root. Its fields are unchecked; none is a property of Object.prototype. */
export type Entry = Readonly<Partial<Record<Field, unknown>>>;

export function isEntry(value: unknown): value is Entry {
  return isObject(value);
}

/** The keys of an object. They come from the file: use them as keys of a `Map` only. */
export function keysOf(value: unknown): readonly string[] {
  return isEntry(value) ? Object.keys(value) : NOTHING;
}

/** An entry of `packages`, from either parser. Absent fields are `undefined`, `false` or empty; lists hold names only. */
export interface NpmEntry
  extends Record<Value, unknown>,
    Record<Flag, boolean>,
    Record<List, readonly FolderName[]> {
  /** The key: the path of a folder. */
  readonly path: string;
  readonly line: number | undefined;
  /** `false` for a value of another type, which has no fields. */
  readonly isObject: boolean;
}

/** A folder of the installed tree. */
export interface Folder {
  readonly entry: NpmEntry;
  /** Its name in `node_modules`; `undefined` for the target's own folders: the root and workspace members. */
  readonly name: FolderName | undefined;
  /** Set once the package is read. */
  draft: PackageDraft | undefined;
  parent: Folder | undefined;
  /** The folders in its `node_modules`, by name. Those of the root are in their names. */
  children: Map<FolderName, Folder> | undefined;
}

/** A name in `node_modules`. Equal names are one object, because to compare and find texts takes longer. */
export interface FolderName {
  readonly text: string;
  /** The folder of this name in the `node_modules` of the root. */
  inRoot: Folder | undefined;
}

/** V8 copies an object in less time than it creates one of so many fields. */
const EMPTY: NpmEntry = {
  path: '',
  line: 0,
  isObject: true,
  name: undefined,
  version: undefined,
  resolved: undefined,
  integrity: undefined,
  workspaces: undefined,
  link: false,
  dev: false,
  optional: false,
  devOptional: false,
  peer: false,
  inBundle: false,
  bundled: false,
  hasInstallScript: false,
  dependencies: NOTHING,
  optionalDependencies: NOTHING,
  peerDependencies: NOTHING,
  devDependencies: NOTHING,
};

/** An entry without fields. */
export function emptyEntry(path: string, line: number | undefined, isObject = true): NpmEntry {
  return { ...EMPTY, path, line, isObject };
}
