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
  | 'lockfileVersion';

/** An object of the file: an entry, a manifest or the whole. */
export type Entry = Readonly<Partial<Record<Field, unknown>>>;

export function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that is text; `undefined` where it is anything else. */
export function textField(entry: Entry, field: Field): string | undefined {
  const value = entry[field];
  return typeof value === 'string' ? value : undefined;
}

const NO_KEYS: readonly string[] = [];

/** The keys of a field that is an object: names chosen by others, so they are only ever used as keys of a `Map`. */
export function keysOf(entry: Entry, field: Field): readonly string[] {
  const value = entry[field];
  return isEntry(value) ? Object.keys(value) : NO_KEYS;
}

const TEXT_FIELDS = ['version', 'resolved', 'integrity', 'name'] as const;

/** The first field that has the wrong type, as a reason; `undefined` when the entry can be read. */
export function faultOf(entry: unknown): string | undefined {
  if (!isEntry(entry)) return 'is not an object';
  for (const field of TEXT_FIELDS) {
    const value = entry[field];
    // npm writes `"resolved": false` for what it could not find out.
    if (value === undefined || typeof value === 'string' || (field === 'resolved' && value === false))
      continue;
    return `has a \`${field}\` that is not a string`;
  }
  return undefined;
}
