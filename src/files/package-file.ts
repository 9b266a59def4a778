/**
 * URL of a file that is published with Lockhound, such as `apis/insights.v3alpha.json`. The path is the same for the bundle,
 * because `dist/bundle/` is as deep in the package as this folder.
 */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
