import { buildPurl, type PurlParts } from '../packages/purl.ts';

/** How a package is called elsewhere. */
export interface ExternalReference {
  readonly type: string;
  readonly locator: string;
}

/** How the older types of package references are written (SPDX 2.3, annex F.3). */
const PATTERNS: ReadonlyMap<string, (locator: string) => PurlParts | undefined> = new Map([
  ['maven-central', mavenParts],
  ['npm', npmParts],
  ['nuget', nugetParts],
]);

/** The purl that a reference is, or stands for. Types may be written as URIs. */
export function purlOfReference({ type, locator }: ExternalReference): string | undefined {
  const name = type.slice(type.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'purl' || name === 'package-url') return locator === '' ? undefined : locator;
  const parts = PATTERNS.get(name)?.(locator);
  try {
    return parts && buildPurl(parts);
  } catch {
    // Like a reference of any other type, it then tells no package.
    return undefined;
  }
}

/** `group:artifact[:version]` */
function mavenParts(locator: string): PurlParts | undefined {
  const [namespace, name, version = ''] = locator.split(':');
  return namespace && name ? { type: 'maven', namespace, name, version } : undefined;
}

/** `name@version`, with or without a scope */
function npmParts(locator: string): PurlParts | undefined {
  const [, namespace, name, version] = /^(?:(@[^/@]+)\/)?([^/@]+)@([^/@]+)$/.exec(locator) ?? [];
  return name && version ? { type: 'npm', namespace, name, version } : undefined;
}

/** `name/version` */
function nugetParts(locator: string): PurlParts | undefined {
  const [name, version, ...more] = locator.split('/');
  return name && version && more.length === 0 ? { type: 'nuget', name, version } : undefined;
}
