import type { System } from '../lockfile/version-key.ts';

/** Well-known versions of a system of which an index does not state what every index states. */
export interface Lacking {
  readonly system: System;
  /** `versions`: the index does not have them. `advisories`: it states no advisory of them. */
  readonly what: 'versions' | 'advisories';
  /** `name version` of each. */
  readonly versions: readonly string[];
}
