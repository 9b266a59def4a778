import { printable } from '../printable.ts';
import type { TextOptions } from '../text.ts';
import { columns, counted, day, heading, lines, paletteOf } from './text.ts';
import { type KeyText, keyText, type VersionText } from './version.ts';

export interface PackageText {
  readonly packageKey?: KeyText;
  readonly purl?: string;
  readonly versions?: readonly Pick<
    VersionText,
    'versionKey' | 'publishedAt' | 'isDefault' | 'isDeprecated' | 'deprecatedReason'
  >[];
}

/** A package with its versions, in the order of the service. */
export function renderPackage(
  { packageKey, purl = '', versions }: PackageText,
  options: TextOptions,
): string {
  const paint = paletteOf(options);
  return lines([
    `${heading(keyText(packageKey), paint)}  ${paint.faint(printable(purl))}`.trimEnd(),
    ...columns(
      (versions ?? []).map((version) => [
        version.versionKey?.version ?? '',
        day(version.publishedAt),
        version.isDefault === true ? 'default' : '',
        version.isDeprecated === true ? `deprecated  ${version.deprecatedReason ?? ''}`.trimEnd() : '',
      ]),
    ),
    counted(versions?.length, 'version'),
  ]);
}

export interface SimilarText {
  readonly packageKey?: KeyText;
  readonly packages?: readonly { readonly packageKey?: KeyText }[];
}

/** Packages that could be taken for one another. */
export function renderSimilar({ packageKey, packages }: SimilarText, options: TextOptions): string {
  const paint = paletteOf(options);
  return lines([
    `${heading(keyText(packageKey), paint)}: ${counted(packages?.length, 'package')} with a similar name`,
    ...columns((packages ?? []).map((similar) => [keyText(similar.packageKey)])),
  ]);
}
