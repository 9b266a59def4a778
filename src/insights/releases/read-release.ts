import type * as api from '../../model/api/insights-api.generated.ts';
import type { Scorecard } from '../../model/signal/inspection.ts';
import type { Provenance, Release, ReleaseDetail, Requirement } from '../../model/signal/release-facts.ts';
import type { Fields } from '../answer-check.ts';

/** The fields that are read. */
export const RELEASE_FIELDS: Fields = ['packageKey', 'versions'];
export const SCORECARD_FIELDS: Fields = ['projectKey', 'scorecard'];
export const DETAIL_FIELDS: Fields = [
  'versionKey',
  'publishedAt',
  'advisoryKeys',
  'slsaProvenances',
  'attestations',
  'relatedProjects',
  'cooldown',
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
  const publishedAt = Date.parse(version.publishedAt ?? '');
  const cooldownEnd = Date.parse(version.cooldown?.end ?? '');
  return {
    ...(Number.isNaN(publishedAt) ? {} : { publishedAt }),
    provenances: [...slsaProvenances, ...attestations].map(
      ({ verified = false, sourceRepository = '' }): Provenance => ({ verified, sourceRepository }),
    ),
    projects: [...new Set(sources.flatMap(({ projectKey }) => projectKey?.id?.toLowerCase() ?? []))],
    advisoryIds: advisoryKeys.flatMap(({ id }) => id ?? []),
    ...(Number.isNaN(cooldownEnd) ? {} : { cooldownEnd }),
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

/** The direct nodes of a resolved graph, with what their edge from the root requires. */
export function readDirectNodes({ nodes = [], edges = [] }: api.Dependencies): readonly Requirement[] {
  const required = new Map(
    edges.flatMap(({ fromNode, toNode, requirement = '' }) =>
      fromNode === 0 && toNode !== undefined ? [[toNode, requirement] as const] : [],
    ),
  );
  return nodes.flatMap(({ relation, versionKey, bundled = false }, index) => {
    const { name = '' } = versionKey ?? {};
    const isRequired = relation === 'DIRECT' && !bundled && name !== '';
    return isRequired ? { name, requirement: required.get(index) ?? '' } : [];
  });
}

/** The scorecard of a project; `undefined` for one without. Checks with a negative score did not run. */
export function readScorecard({ scorecard }: api.Project): Scorecard | undefined {
  if (scorecard?.overallScore === undefined) return undefined;
  const checks = (scorecard.checks ?? []).flatMap(({ name = '', score = -1 }) =>
    name === '' || score < 0 ? [] : [[name, score] as const],
  );
  return { date: scorecard.date ?? '', overall: scorecard.overallScore, checks: Object.fromEntries(checks) };
}
