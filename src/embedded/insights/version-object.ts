import type { ApiSystem, VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { AdvisoryFact, IndexedPackage, IndexedVersion, RelatedProject } from './data-set.ts';
import { purlOf } from './names.ts';

const REGISTRY = 'https://registry.yarnpkg.com/';

/** Go has no central registry. */
const REGISTRIES: Readonly<Record<Exclude<ApiSystem, 'GO'>, string>> = {
  NPM: REGISTRY,
  CARGO: 'https://crates.io/',
  MAVEN: 'https://repo.maven.apache.org/maven2/',
  NUGET: 'https://api.nuget.org/v3/index.json',
  PYPI: 'https://pypi.org/simple',
  RUBYGEMS: 'https://rubygems.org/',
};

/** Matches SPDX expressions without parentheses, not prose or file names. */
const SPDX = /^\s*[A-Za-z0-9][\w.:+-]*(?:\s+(?:OR|AND|WITH)\s+[A-Za-z0-9][\w.:+-]*)*\s*$/;
const NOT_SPDX = new Set(['BSD', 'UNLICENSED', 'UNLICENCED', 'Apache', 'GPL', 'LGPL', 'BSD-like']);

/** The Version object (package-insights API, "Version object"). All lists are present; an unknown time is absent. */
export function versionObject(
  indexedPackage: IndexedPackage,
  indexed: IndexedVersion,
  advisoryIds: readonly string[],
): Record<string, unknown> {
  const { system, name } = indexedPackage;
  const { license } = indexed;
  const spdx = license === undefined ? undefined : spdxOf(license);
  const links = Object.entries({
    ...indexed.links,
    ...(system === 'NPM' ? { ORIGIN: `${REGISTRY}${name}/${indexed.version}` } : {}),
  }).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    ...packageVersionObject(indexedPackage, indexed),
    licenses: spdx === undefined ? [] : [spdx],
    licenseDetails: license === undefined ? [] : [{ license, spdx }],
    advisoryKeys: advisoryIds.toSorted().map((id) => ({ id })),
    links: links.map(([label, url]) => ({ label, url })),
    slsaProvenances: indexed.slsaProvenances ?? [],
    attestations: indexed.attestations ?? [],
    registries: system === 'GO' ? [] : [REGISTRIES[system]],
    relatedProjects: projectsOf(indexed).map(({ id, relationType, relationProvenance }) => ({
      projectKey: { id },
      relationProvenance,
      relationType,
    })),
    upstreamIdentifiers: indexed.upstreamIdentifiers ?? [],
    projectStatus: indexed.projectStatus,
    cooldown: indexed.cooldown,
  };
}

/** URLs of a version's artifacts (package-insights API, "Query"). Those of npm packages follow from the name. */
export function artifactsOf(
  { system, name, version }: VersionKey,
  indexed: IndexedVersion | undefined,
): readonly { readonly url: string }[] {
  if (indexed?.artifacts !== undefined) return indexed.artifacts.map((url) => ({ url }));
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
    publishedAt: indexed.publishedAt,
    isDefault: indexed.version === byDefault,
    isDeprecated: indexed.deprecated !== undefined,
    deprecatedReason: indexed.deprecated ?? '',
  };
}

/** Projects on code-hosting sites: verified ones first, then those that only links name. */
export function projectsOf({ links = {}, projects = [] }: IndexedVersion): readonly RelatedProject[] {
  const linked = (['ISSUE_TRACKER', 'SOURCE_REPO'] as const).flatMap((relationType): RelatedProject[] => {
    const match =
      /(github\.com|gitlab\.com|bitbucket\.org)[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:[/#]|$)/i.exec(
        links[relationType] ?? '',
      );
    const [, host, owner, repository] = match ?? [];
    if (host === undefined || owner === undefined || repository === undefined) return [];
    const id = `${host}/${owner}/${repository}`.toLowerCase();
    return [{ id, relationType, relationProvenance: 'UNVERIFIED_METADATA' }];
  });
  return [...projects, ...linked];
}

/** The expression without parentheses around all of it. The list of licences is not checked: to load it takes longer than a small scan. */
function spdxOf(license: string): string {
  const text = license.trim();
  if (!isExpression(text) || NOT_SPDX.has(text)) return 'non-standard';
  const inner = text.slice(1, -1);
  return text.startsWith('(') && isExpression(inner) ? inner.trim() : text;
}

/** Replaces each part in parentheses by a licence, from the inside out. */
function isExpression(text: string): boolean {
  const flat = text.replaceAll(/\(([^()]*)\)/g, (part, inner) => (SPDX.test(inner) ? ' X ' : part));
  return flat === text ? SPDX.test(text) : isExpression(flat);
}

/** An Advisory object as JSON; a missing score is 0 and a missing vector empty, as scalars have defaults. */
export function advisoryObject({ id, title, aliases, score = 0, vector = '' }: AdvisoryFact): object {
  const url = `https://osv.dev/vulnerability/${id}`;
  return { advisoryKey: { id }, url, title, aliases, cvss3Score: score, cvss3Vector: vector };
}
