import type { ContainerImages, PurlLookupResult, QueryResult } from '../../model/insights-api.generated.ts';
import { printable } from '../printable.ts';
import type { TextOptions } from '../text.ts';
import { renderPackage } from './package.ts';
import { columns, counted, day, heading, lines, paletteOf } from './text.ts';
import { keyText, renderVersion } from './version.ts';

/** What a purl names: a package or a version. */
export function renderPurl(found: PurlLookupResult, options: TextOptions): string {
  if (found.version !== undefined) return renderVersion(found.version, options);
  return renderPackage(found.package ?? {}, options);
}

/** Versions that a query found, each with the artifacts that have the hash. */
export function renderQuery({ results }: QueryResult, options: TextOptions): string {
  const paint = paletteOf(options);
  return lines([
    ...(results ?? []).flatMap(({ version, artifacts = [] }) => [
      `${heading(keyText(version?.versionKey), paint)}  ${printable(day(version?.publishedAt))}`.trimEnd(),
      ...columns(artifacts.map(({ url = '' }) => [url])),
    ]),
    counted(results?.length, 'version'),
  ]);
}

/** Repositories of images that hold the chain of layers. */
export function renderContainerImages({ results }: ContainerImages, _options: TextOptions): string {
  return lines([
    ...columns(
      (results ?? []).map(({ repository = '' }) => [repository]),
      '',
    ),
    counted(results?.length, 'image repository', 'image repositories'),
  ]);
}
