import type { Package, SimilarlyNamedPackages } from '../../model/insights-api.generated.ts';
import { printable } from '../printable.ts';
import type { TextOptions } from '../text.ts';
import { columns, counted, day, heading, lines, paletteOf } from './text.ts';
import { keyText } from './version.ts';

/** A package with its versions, in the order of the service. */
export function renderPackage({ packageKey, purl = '', versions }: Package, options: TextOptions): string {
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

/** Packages that could be taken for one another. */
export function renderSimilar(
  { packageKey, packages }: SimilarlyNamedPackages,
  options: TextOptions,
): string {
  const paint = paletteOf(options);
  return lines([
    `${heading(keyText(packageKey), paint)}: ${counted(packages?.length, 'package')} with a similar name`,
    ...columns((packages ?? []).map((similar) => [keyText(similar.packageKey)])),
  ]);
}
