import type { Package, SimilarlyNamedPackages } from '../../model/api/insights-api.generated.ts';
import { printable } from '../../model/printable.ts';
import { fitLines, type TextOptions } from '../layout.ts';
import { counted, day, heading, paletteOf, table } from './text.ts';
import { keyText } from './version.ts';

/** A package with its versions, in the order of the service. */
export function renderPackage({ packageKey, purl = '', versions }: Package, options: TextOptions): string {
  const paint = paletteOf(options);
  return fitLines(
    [
      `${heading(keyText(packageKey), paint)}  ${paint.faint(printable(purl))}`.trimEnd(),
      ...table(
        (versions ?? []).map((version) => [
          version.versionKey?.version ?? '',
          day(version.publishedAt),
          version.isDefault === true ? 'default' : '',
          version.isDeprecated === true ? `deprecated  ${version.deprecatedReason ?? ''}`.trimEnd() : '',
        ]),
        options,
      ),
      counted(versions?.length, 'version'),
    ],
    options,
  );
}

/** Packages that could be taken for one another. */
export function renderSimilar(
  { packageKey, packages }: SimilarlyNamedPackages,
  options: TextOptions,
): string {
  const paint = paletteOf(options);
  return fitLines(
    [
      `${heading(keyText(packageKey), paint)}: ${counted(packages?.length, 'package')} with a similar name`,
      ...table(
        (packages ?? []).map((similar) => [keyText(similar.packageKey)]),
        options,
      ),
    ],
    options,
  );
}
