import type { SlsaProvenance, Version, VersionKey } from '../../model/api/insights-api.generated.ts';
import { fitLines, type TextOptions } from '../layout.ts';
import { day, heading, paletteOf, rows, UNKNOWN, yesOrNo } from './text.ts';

/** One version with all that is known of it. */
export function renderVersion(version: Version, options: TextOptions): string {
  const paint = paletteOf(options);
  const { licenses = [], licenseDetails = [], projectStatus: status } = version;
  const declared = licenseDetails
    .filter(({ license, spdx }) => license !== spdx)
    .map(({ license }) => license);
  return fitLines(
    [
      heading(keyText(version.versionKey), paint),
      ...rows(
        [
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
          [
            'attestations',
            (version.attestations ?? []).map((one) => `${one.type ?? ''} ${provenanceText(one)}`),
          ],
          ['upstream', (version.upstreamIdentifiers ?? []).map(upstreamText)],
        ],
        options,
      ),
    ],
    options,
  );
}

/** `NPM lodash 4.17.21`. */
export function keyText({
  system,
  name,
  version,
}: { readonly [Part in keyof VersionKey]?: string } = {}): string {
  return [system, name, version].filter((part) => part !== undefined && part !== '').join(' ');
}

export function provenanceText({ sourceRepository, commit, url, verified }: SlsaProvenance): string {
  const parts = [sourceRepository, commit, url].filter((part) => part !== undefined && part !== '');
  return `${parts.join(' ')} ${verified === undefined ? '(verification unknown)' : verified ? '(verified)' : '(not verified)'}`.trim();
}

function projectText(related: NonNullable<Version['relatedProjects']>[number]): string {
  const id = related.projectKey?.id ?? '';
  return `${id === '' ? '(elsewhere)' : id}  ${related.relationType ?? ''} ${related.relationProvenance ?? ''}`;
}

function upstreamText(identifier: NonNullable<Version['upstreamIdentifiers']>[number]): string {
  const { packageName = '', versionString = '', source = '' } = identifier;
  return `${packageName} ${versionString}  ${source}`;
}
