/**
 * URL of a file that is published with Lockhound, such as `apis/insights.v3alpha.json`. The bundle lies in `dist/bundle/`, as deep
 * below the package's root as this file.
 */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
