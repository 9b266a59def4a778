/** An advisory as the package-insights API gives it ("Advisory object"). */
export interface Advisory {
  /** OSV identifier. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** Other identifiers of the same issue, CVEs among them. */
  readonly aliases: readonly string[];
  /** In [0,10]; absent (not 0) when the advisory carries none. */
  readonly cvss3Score?: number;
  readonly cvss3Vector?: string;
}
