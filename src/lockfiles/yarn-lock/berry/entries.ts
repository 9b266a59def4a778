/** An entry of the file, in its own words. */
export interface BerryEntry {
  /** `a@npm:^1, b@npm:^2`. */
  readonly key: string;
  readonly line: number | undefined;
  version: string;
  resolution: string;
  checksum: string | undefined;
  /** Names and ranges of what it depends on, by turns. */
  dependencies: readonly string[];
  /** Names of those that may be left out. */
  optional: readonly string[];
}

export function emptyEntry(key: string, line: number | undefined): BerryEntry {
  return { key, line, version: '', resolution: '', checksum: undefined, dependencies: NONE, optional: NONE };
}

const NONE: readonly string[] = [];
