/**
 * How an ecosystem orders versions and reads requirements. Versions that are passed to `compare`, `isPrerelease`, `line` and
 * `satisfies` have to be valid.
 */
export interface VersionScheme {
  isValid(version: string): boolean;
  /** Negative when `left` is the earlier version. */
  compare(left: string, right: string): number;
  isPrerelease(version: string): boolean;
  /** The compatible line of a version: its major version, or the minor one where the major version is 0 and that has a meaning. */
  line(version: string): string;
  /** Whether a requirement permits a version; `undefined` when the requirement is not a range (a tag, a URL, a path). */
  satisfies(version: string, requirement: string): boolean | undefined;
}
