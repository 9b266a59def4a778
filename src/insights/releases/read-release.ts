import type * as api from '../../model/api/insights-api.generated.ts';
import type { Provenance, Release, ReleaseDetail, Requirement } from '../../model/signal/release-facts.ts';
import type { Fields } from '../answer-check.ts';

/** The fields that are read. */
export const RELEASE_FIELDS: Fields = ['versions'];
export const DETAIL_FIELDS: Fields = [
  'versionKey',
  'advisoryKeys',
  'slsaProvenances',
  'attestations',
  'relatedProjects',
];

/** The versions of a Package object. One without a version is left out. */
export function readReleases({ versions = [] }: api.Package): readonly Release[] {
  return versions.flatMap(({ versionKey, publishedAt, isDefault = false, isDeprecated = false }) => {
    const version = versionKey?.version ?? '';
    const time = Date.parse(publishedAt ?? '');
    if (version === '') return [];
    return { version, isDefault, isDeprecated, ...(Number.isNaN(time) ? {} : { publishedAt: time }) };
  });
}

/** The part of a Version object that signals read. */
export function readDetail(version: api.Version): ReleaseDetail {
  const { advisoryKeys = [], slsaProvenances = [], attestations = [], relatedProjects = [] } = version;
  const sources = relatedProjects.filter(({ relationType }) => relationType === 'SOURCE_REPO');
  return {
    provenances: [...slsaProvenances, ...attestations].map(
      ({ verified = false, sourceRepository = '' }): Provenance => ({ verified, sourceRepository }),
    ),
    projects: [...new Set(sources.flatMap(({ projectKey }) => projectKey?.id?.toLowerCase() ?? []))],
    advisoryIds: advisoryKeys.flatMap(({ id }) => id ?? []),
  };
}

/** What a version requires to be installed; requirements of development and of the environment (`peer`) are not. */
export function readRequirements({ npm, maven, nuget, rubygems }: api.Requirements): readonly Requirement[] {
  const stated = [
    ...(npm?.dependencies?.dependencies ?? []),
    ...(npm?.dependencies?.optionalDependencies ?? []),
    ...(nuget?.dependencyGroups ?? []).flatMap(({ dependencies = [] }) => dependencies),
    ...(rubygems?.runtimeDependencies ?? []),
  ];
  const inMaven = (maven?.dependencies ?? []).flatMap(({ name, version = '', scope = '' }) =>
    scope === 'test' || scope === 'provided' ? [] : { name, requirement: version },
  );
  return [...stated, ...inMaven].flatMap(({ name = '', requirement = '' }) => {
    // `${…}`: a property of a POM, which is not resolved.
    if (name === '' || name.includes('${')) return [];
    const [, real] = /^npm:(@?[^@]+)/.exec(requirement) ?? [];
    return { name: real ?? name, requirement };
  });
}

/** The direct nodes of a resolved graph. */
export function readDirectNodes({ nodes = [] }: api.Dependencies): readonly Requirement[] {
  return nodes.flatMap(({ relation, versionKey, bundled = false }) => {
    const { name = '', version = '' } = versionKey ?? {};
    return relation === 'DIRECT' && !bundled && name !== '' ? { name, requirement: version } : [];
  });
}
