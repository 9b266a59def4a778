import type { Suppression } from '../../../model/scan/suppression.ts';
import { isInVers, readVers } from '../../../versions/vers.ts';

type PackageScope = NonNullable<Suppression['package']>;

/** One version, or a range of versions (VERS), that a CycloneDX document names. */
export interface StatedVersions {
  readonly version?: string | undefined;
  readonly range?: string | undefined;
}

/** The part of a package's scope that has these versions. A text says why they cannot be known. */
export function unaffectedScope(
  scope: PackageScope,
  { version, range = '' }: StatedVersions,
): PackageScope | string {
  const { version: own } = scope;
  if (version !== undefined) {
    if (own === undefined || own === version) return { ...scope, version };
    return `${version} is not the version of the component`;
  }
  const read = readVers(range, scope.ecosystem);
  if (typeof read === 'string') return `the range is not applied: ${read}`;
  if (own === undefined) return { ...scope, versions: range };
  return isInVers(own, read) ? scope : `the range ${range} is not the version of the component`;
}

/** The versions of a package that count: all of them, where a range cannot be read. */
export function affectedScope(
  { ecosystem, name }: PackageScope,
  { version, range = '' }: StatedVersions,
): PackageScope {
  if (version !== undefined) return { ecosystem, name, versions: version };
  return { ecosystem, name, versions: typeof readVers(range, ecosystem) === 'string' ? '*' : range };
}
