import type { TextOptions } from '../text.ts';
import { day, heading, lines, paletteOf, rows, UNKNOWN, yesOrNo } from './text.ts';

export interface KeyText {
  readonly system?: string;
  readonly name?: string;
  readonly version?: string;
}

/** What is shown of a Version object; every field may be absent. */
export interface VersionText {
  readonly versionKey?: KeyText;
  readonly purl?: string;
  readonly publishedAt?: string;
  readonly isDefault?: boolean;
  readonly isDeprecated?: boolean;
  readonly deprecatedReason?: string;
  readonly licenses?: readonly string[];
  readonly licenseDetails?: readonly { readonly license?: string; readonly spdx?: string }[];
  readonly advisoryKeys?: readonly { readonly id?: string }[];
  readonly links?: readonly { readonly label?: string; readonly url?: string }[];
  readonly registries?: readonly string[];
  readonly relatedProjects?: readonly {
    readonly projectKey?: { readonly id?: string };
    readonly relationType?: string;
    readonly relationProvenance?: string;
  }[];
  readonly slsaProvenances?: readonly ProvenanceText[];
  readonly attestations?: readonly (ProvenanceText & { readonly type?: string })[];
  readonly upstreamIdentifiers?: readonly {
    readonly packageName?: string;
    readonly versionString?: string;
    readonly source?: string;
  }[];
  readonly projectStatus?: { readonly status?: string; readonly reason?: string };
}

export interface ProvenanceText {
  readonly sourceRepository?: string;
  readonly commit?: string;
  readonly url?: string;
  readonly verified?: boolean;
}

/** One version with all that is known of it. */
export function renderVersion(version: VersionText, options: TextOptions): string {
  const paint = paletteOf(options);
  const { licenses = [], licenseDetails = [], projectStatus: status } = version;
  const declared = licenseDetails
    .filter(({ license, spdx }) => license !== spdx)
    .map(({ license }) => license);
  return lines([
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
      paint,
    ),
  ]);
}

/** `NPM lodash 4.17.21`. */
export function keyText({ system, name, version }: KeyText = {}): string {
  return [system, name, version].filter((part) => part !== undefined && part !== '').join(' ');
}

export function provenanceText({ sourceRepository, commit, url, verified }: ProvenanceText): string {
  const parts = [sourceRepository, commit, url].filter((part) => part !== undefined && part !== '');
  return `${parts.join(' ')} ${verified === undefined ? '(verification unknown)' : verified ? '(verified)' : '(not verified)'}`.trim();
}

function projectText(related: NonNullable<VersionText['relatedProjects']>[number]): string {
  const id = related.projectKey?.id ?? '';
  return `${id === '' ? '(elsewhere)' : id}  ${related.relationType ?? ''} ${related.relationProvenance ?? ''}`;
}

function upstreamText(identifier: NonNullable<VersionText['upstreamIdentifiers']>[number]): string {
  const { packageName = '', versionString = '', source = '' } = identifier;
  return `${packageName} ${versionString}  ${source}`;
}
