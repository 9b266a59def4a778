import type {
  Package,
  PurlLookupResult,
  QueryResult,
  SimilarlyNamedPackages,
  SlsaProvenance,
  Version,
  VersionKey,
} from '../../model/api/insights-api.generated.ts';
import {
  type Block,
  counted,
  day,
  heading,
  line,
  type Renderer,
  renderer,
  rows,
  table,
  UNKNOWN,
} from './view.ts';

/** A package with its versions, in the order of the service. */
export const renderPackage = renderer(({ packageKey, purl = '', versions }: Package) => [
  heading(keyText(packageKey), purl),
  table(
    (versions ?? []).map((version) => [
      version.versionKey?.version ?? '',
      day(version.publishedAt),
      version.isDefault === true ? 'default' : '',
      version.isDeprecated === true ? `deprecated  ${version.deprecatedReason ?? ''}`.trimEnd() : '',
    ]),
  ),
  line(counted(versions?.length, 'version')),
]);

/** Packages with similar names. */
export const renderSimilar = renderer(({ packageKey, packages }: SimilarlyNamedPackages) => [
  line(`${keyText(packageKey)}: ${counted(packages?.length, 'package')} with a similar name`),
  table((packages ?? []).map((similar) => [keyText(similar.packageKey)])),
]);

/** Everything that is known about a version. */
export const renderVersion = renderer((version: Version): readonly Block[] => {
  const { licenses = [], licenseDetails = [], projectStatus: status } = version;
  const declared = licenseDetails
    .filter(({ license, spdx }) => license !== spdx)
    .map(({ license }) => license);
  return [
    heading(keyText(version.versionKey)),
    rows([
      ['purl', [version.purl]],
      ['published', [day(version.publishedAt)]],
      ['default', [yesOrNo(version.isDefault, 'yes, installed when no version is named')]],
      ['deprecated', [yesOrNo(version.isDeprecated, `yes  ${version.deprecatedReason ?? ''}`.trim())]],
      ['status', [status && [status.status, status.reason].filter(Boolean).join(': ')]],
      ['licences', [licenses.join(', ') || UNKNOWN]],
      ['as declared', [declared.join(', ')]],
      ['advisories', version.advisoryKeys?.map(({ id }) => id) ?? [UNKNOWN]],
      ['projects', (version.relatedProjects ?? []).map(projectText)],
      ['links', (version.links ?? []).map(({ label = '', url = '' }) => `${label}  ${url}`)],
      ['registries', version.registries ?? []],
      ['provenance', (version.slsaProvenances ?? []).map(provenanceText)],
      ['attestations', (version.attestations ?? []).map((one) => `${one.type ?? ''} ${provenanceText(one)}`)],
      ['upstream', (version.upstreamIdentifiers ?? []).map(upstreamText)],
    ]),
  ];
});

/** The package or version that a purl names. */
export const renderPurl: Renderer<PurlLookupResult> = (found, options) =>
  found.version === undefined
    ? renderPackage(found.package ?? {}, options)
    : renderVersion(found.version, options);

/** The versions that a query found, each with the artifacts that have the hash. */
export const renderQuery = renderer(({ results }: QueryResult) => [
  ...(results ?? []).flatMap(({ version, artifacts = [] }) => [
    heading(keyText(version?.versionKey), day(version?.publishedAt)),
    table(artifacts.map(({ url = '' }) => [url])),
  ]),
  line(counted(results?.length, 'version')),
]);

/** `NPM lodash 4.17.21`. */
export function keyText({
  system,
  name,
  version,
}: { readonly [Part in keyof VersionKey]?: string | undefined } = {}): string {
  return [system, name, version].filter((part) => part !== undefined && part !== '').join(' ');
}

export function provenanceText({ sourceRepository, commit, url, verified }: SlsaProvenance): string {
  const parts = [sourceRepository, commit, url].filter((part) => part !== undefined && part !== '');
  const verification =
    verified === undefined ? 'verification unknown' : verified ? 'verified' : 'not verified';
  return [...parts, `(${verification})`].join(' ');
}

function yesOrNo(value: boolean | undefined, yes: string): string {
  return value === undefined ? UNKNOWN : value ? yes : 'no';
}

function projectText(related: NonNullable<Version['relatedProjects']>[number]): string {
  const id = related.projectKey?.id ?? '';
  return `${id === '' ? '(elsewhere)' : id}  ${related.relationType ?? ''} ${related.relationProvenance ?? ''}`;
}

function upstreamText(identifier: NonNullable<Version['upstreamIdentifiers']>[number]): string {
  const { packageName = '', versionString = '', source = '' } = identifier;
  return `${packageName} ${versionString}  ${source}`;
}
