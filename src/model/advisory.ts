/** An advisory as the package-insights API gives it ("Advisory object"). */
export interface Advisory {
  /** OSV identifier. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** Other identifiers of the same issue, CVEs among them. */
  readonly aliases: readonly string[];
  /** CVSS base score in [0,10]: that of the vector, else the one that the advisory states. Absent (not 0) without both. */
  readonly score?: number;
  /** CVSS vector of any version. */
  readonly vector?: string;
}
