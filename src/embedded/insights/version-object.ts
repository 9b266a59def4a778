import type { VersionKey } from '../../model/version-record.ts';
import type { IndexedPackage, IndexedVersion } from './data-set.ts';
import { purlOf } from './names.ts';

const REGISTRY = 'https://registry.yarnpkg.com/';

/** An SPDX expression, as opposed to prose, a file name or a historic abbreviation. */
const SPDX = /^\(?[A-Za-z0-9][\w.+-]*(?:\s+(?:OR|AND|WITH)\s+\(?[A-Za-z0-9][\w.+-]*\)?)*\)?$/;
const NOT_SPDX = new Set(['BSD', 'UNLICENSED', 'UNLICENCED', 'Apache', 'GPL', 'LGPL', 'BSD-like']);

/** The Version object (package-insights API, "Version object"): every list there, an unknown time left out. */
export function versionObject(
  { system, name, default: byDefault }: IndexedPackage,
  indexed: IndexedVersion,
  advisoryIds: readonly string[],
): Record<string, unknown> {
  const versionKey: VersionKey = { system, name, version: indexed.version };
  const license = indexed.license;
  const spdx = license === undefined ? undefined : spdxOf(license);
  const links = Object.entries({
    ...indexed.links,
    ...(system === 'NPM' ? { ORIGIN: `${REGISTRY}${name}/${indexed.version}` } : {}),
  }).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    versionKey,
    purl: purlOf(versionKey),
    ...timeOf(indexed),
    isDefault: indexed.version === byDefault,
    isDeprecated: indexed.deprecated !== undefined,
    deprecatedReason: indexed.deprecated ?? '',
    licenses: spdx === undefined ? [] : [spdx],
    licenseDetails: license === undefined ? [] : [{ license, spdx }],
    advisoryKeys: advisoryIds.toSorted().map((id) => ({ id })),
    links: links.map(([label, url]) => ({ label, url })),
    slsaProvenances: [],
    attestations: [],
    registries: system === 'NPM' ? [REGISTRY] : [],
    relatedProjects: projectsOf(indexed).map(({ id, relationType }) => ({
      projectKey: { id },
      relationProvenance: 'UNVERIFIED_METADATA',
      relationType,
    })),
    upstreamIdentifiers: [],
  };
}

/** Where the artifacts of a version are (package-insights API, "Query"); known of npm, whose addresses follow a rule. */
export function artifactsOf({ system, name, version }: VersionKey): readonly { readonly url: string }[] {
  if (system !== 'NPM') return [];
  const [file = name] = name.split('/').slice(-1);
  return [{ url: `${REGISTRY}${name}/-/${file}-${version}.tgz` }];
}

/** The entry of a version in a Package object. */
export function packageVersionObject(
  { system, name, default: byDefault }: IndexedPackage,
  indexed: IndexedVersion,
): Record<string, unknown> {
  const versionKey: VersionKey = { system, name, version: indexed.version };
  return {
    versionKey,
    purl: purlOf(versionKey),
    ...timeOf(indexed),
    isDefault: indexed.version === byDefault,
    isDeprecated: indexed.deprecated !== undefined,
    deprecatedReason: indexed.deprecated ?? '',
  };
}

/** Projects on code-hosting sites that the links of a version name. */
export function projectsOf({ links = {} }: IndexedVersion): { id: string; relationType: string }[] {
  return ['ISSUE_TRACKER', 'SOURCE_REPO'].flatMap((relationType) => {
    const match =
      /(github\.com|gitlab\.com|bitbucket\.org)[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:[/#]|$)/i.exec(
        links[relationType] ?? '',
      );
    const [, host, owner, repository] = match ?? [];
    if (host === undefined || owner === undefined || repository === undefined) return [];
    return [{ id: `${host}/${owner}/${repository}`.toLowerCase(), relationType }];
  });
}

function timeOf({ publishedAt }: IndexedVersion): { publishedAt?: string } {
  return publishedAt === undefined ? {} : { publishedAt };
}

function spdxOf(license: string): string {
  const text = license.trim();
  return SPDX.test(text) && !NOT_SPDX.has(text) ? text.replace(/^\((.*)\)$/, '$1') : 'non-standard';
}
