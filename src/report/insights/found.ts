import { printable } from '../printable.ts';
import type { TextOptions } from '../text.ts';
import { type PackageText, renderPackage } from './package.ts';
import { columns, counted, day, heading, lines, paletteOf } from './text.ts';
import { keyText, renderVersion, type VersionText } from './version.ts';

export interface PurlText {
  readonly package?: PackageText;
  readonly version?: VersionText;
}

/** What a purl names: a package or a version. */
export function renderPurl(found: PurlText, options: TextOptions): string {
  if (found.version !== undefined) return renderVersion(found.version, options);
  return renderPackage(found.package ?? {}, options);
}

export interface QueryText {
  readonly results?: readonly {
    readonly version?: VersionText;
    readonly artifacts?: readonly { readonly url?: string }[];
  }[];
}

/** Versions that a query found, each with the artifacts that have the hash. */
export function renderQuery({ results }: QueryText, options: TextOptions): string {
  const paint = paletteOf(options);
  return lines([
    ...(results ?? []).flatMap(({ version, artifacts = [] }) => [
      `${heading(keyText(version?.versionKey), paint)}  ${printable(day(version?.publishedAt))}`.trimEnd(),
      ...columns(artifacts.map(({ url = '' }) => [url])),
    ]),
    counted(results?.length, 'version'),
  ]);
}

export interface ContainerImagesText {
  readonly results?: readonly { readonly repository?: string }[];
}

/** Repositories of images that hold the chain of layers. */
export function renderContainerImages({ results }: ContainerImagesText, _options: TextOptions): string {
  return lines([
    ...columns(
      (results ?? []).map(({ repository = '' }) => [repository]),
      '',
    ),
    counted(results?.length, 'image repository', 'image repositories'),
  ]);
}
