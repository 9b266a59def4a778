/** An entry of a package-lock as it is used here; everything in it is unchecked until read through these functions. */
export type Entry = Readonly<Record<string, unknown>>;

export function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that has to be text where it is there at all. */
export function textField(entry: Entry, key: string): string | undefined {
  const value = own(entry, key);
  return typeof value === 'string' ? value : undefined;
}

/** A field of the entry itself: names such as `constructor` must not reach the prototype. */
export function own(entry: Entry, key: string): unknown {
  return Object.hasOwn(entry, key) ? entry[key] : undefined;
}

/** Keys of an object-valued field; none where it is something else. */
export function keysOf(entry: Entry, field: string): readonly string[] {
  const value = own(entry, field);
  return isEntry(value) ? Object.keys(value) : [];
}

/** The first field that has the wrong type, as a reason; `undefined` when the entry can be read. */
export function faultOf(entry: unknown): string | undefined {
  if (!isEntry(entry)) return 'is not an object';
  for (const field of ['version', 'resolved', 'integrity', 'name'] as const) {
    const value = own(entry, field);
    // npm writes `"resolved": false` for what it could not find out.
    if (value === undefined || typeof value === 'string' || (field === 'resolved' && value === false))
      continue;
    return `has a \`${field}\` that is not a string`;
  }
  return undefined;
}
