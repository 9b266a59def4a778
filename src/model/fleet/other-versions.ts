/** Versions of a package that targets hold and a query does not select. */
export interface OtherVersions {
  /** Number of targets that hold one. */
  readonly targets: number;
  /** Number of versions. */
  readonly count: number;
  /** Purls of the newest ten, the newest first; by ecosystem. */
  readonly newest: readonly string[];
}

export const NO_OTHER_VERSIONS: OtherVersions = { targets: 0, count: 0, newest: [] };
