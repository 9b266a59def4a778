import type {
  ContainerImages,
  PurlLookupResult,
  QueryResult,
} from '../../model/api/insights-api.generated.ts';
import { printable } from '../../model/printable.ts';
import { fitLines, type TextOptions } from '../layout.ts';
import { renderPackage } from './package.ts';
import { counted, day, heading, paletteOf, table } from './text.ts';
import { keyText, renderVersion } from './version.ts';

/** What a purl names: a package or a version. */
export function renderPurl(found: PurlLookupResult, options: TextOptions): string {
  if (found.version !== undefined) return renderVersion(found.version, options);
  return renderPackage(found.package ?? {}, options);
}

/** Versions that a query found, each with the artifacts that have the hash. */
export function renderQuery({ results }: QueryResult, options: TextOptions): string {
  const paint = paletteOf(options);
  return fitLines(
    [
      ...(results ?? []).flatMap(({ version, artifacts = [] }) => [
        `${heading(keyText(version?.versionKey), paint)}  ${printable(day(version?.publishedAt))}`.trimEnd(),
        ...table(
          artifacts.map(({ url = '' }) => [url]),
          options,
        ),
      ]),
      counted(results?.length, 'version'),
    ],
    options,
  );
}

/** Repositories of images that hold the chain of layers. */
export function renderContainerImages({ results }: ContainerImages, options: TextOptions): string {
  return fitLines(
    [
      ...table(
        (results ?? []).map(({ repository = '' }) => [repository]),
        options,
        '',
      ),
      counted(results?.length, 'image repository', 'image repositories'),
    ],
    options,
  );
}
