/** The fields of an entry that are read here; all unchecked. None is the name of something every object inherits. */
type Field =
  | 'name'
  | 'version'
  | 'resolved'
  | 'integrity'
  | 'link'
  | 'dev'
  | 'optional'
  | 'devOptional'
  | 'peer'
  | 'inBundle'
  | 'bundled'
  | 'requires'
  | 'dependencies'
  | 'devDependencies'
  | 'optionalDependencies'
  | 'peerDependencies'
  | 'packages'
  | 'workspaces'
  | 'lockfileVersion';

/** An object of the file: an entry, a manifest or the whole. */
export type Entry = Readonly<Partial<Record<Field, unknown>>>;

export function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NO_KEYS: readonly string[] = [];

/** The keys of an object: names chosen by others, so they are only ever used as keys of a `Map`. */
export function keysOf(value: unknown): readonly string[] {
  return isEntry(value) ? Object.keys(value) : NO_KEYS;
}
