/** An advisory from the package-insights API ("Advisory object"). */
export interface Advisory {
  /** OSV identifier. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** Other identifiers of the same issue, CVEs among them. */
  readonly aliases: readonly string[];
  /** CVSS base score in [0,10]: that of the vector, else the one that the advisory states. Absent (not 0) without both. */
  readonly score?: number;
  /** CVSS vector of any version from which a score can be computed. */
  readonly vector?: string;
  /** Parts of the answer that could not be used, each in a few words. Absent when all were used. */
  readonly problems?: readonly string[];
}

/** What one `collect-advisories` job fetched. */
export interface CollectedAdvisories {
  readonly advisories: readonly Advisory[];
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
}
