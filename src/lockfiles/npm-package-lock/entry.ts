import { isObject } from '../../model/json-object.ts';

const NOTHING: readonly string[] = [];

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
    Record<List, readonly string[]> {
  /** The key: the path of a folder. */
  readonly path: string;
  readonly line: number | undefined;
  /** `false` for a value of another type, which has no fields. */
  readonly isObject: boolean;
}

/** An entry without fields. */
export function emptyEntry(path: string, line: number | undefined, isObject = true): NpmEntry {
  return {
    path,
    line,
    isObject,
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
}
