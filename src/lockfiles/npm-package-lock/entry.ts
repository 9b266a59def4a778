/** The fields that are read, all unchecked. None is a property of Object.prototype. */
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

/** An object of the file: an entry, a manifest or the root. */
export type Entry = Readonly<Partial<Record<Field, unknown>>>;

export function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NO_KEYS: readonly string[] = [];

/** The keys of an object. They come from the file: use them as keys of a `Map` only. */
export function keysOf(value: unknown): readonly string[] {
  return isEntry(value) ? Object.keys(value) : NO_KEYS;
}
