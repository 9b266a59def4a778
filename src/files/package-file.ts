import { readFileSync } from 'node:fs';
/**
 * URL of a file that is published with Lockhound, such as `apis/insights.v3alpha.json`. The path is the same for the bundle,
 * because `dist/bundle/` is as deep in the package as this folder.
 */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

/** The version of this package. */
export function packageVersion(): string {
  const manifest = readFileSync(packageFile('package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
