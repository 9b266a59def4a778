import type { System } from './version-key.ts';

/** Names as the index spells them: PEP 503 for PyPI, lower case for NuGet, elsewhere as the ecosystem does. */
export function canonicalName(name: string, system: System): string {
  if (system === 'PYPI') return name.replace(/[-_.]+/g, '-').toLowerCase();
  return system === 'NUGET' ? name.toLowerCase() : name;
}

/** Versions as the index spells them: for Go with `v`, for its standard library with `go`, which some files omit. */
export function canonicalVersion(version: string, name: string, system: System): string {
  if (system !== 'GO' || !/^\d/.test(version)) return version;
  return name === 'stdlib' ? `go${version}` : `v${version}`;
}

/** Whether the index lacks a package by purl only: purls of Go modules are in lower case, module names need not be. */
export function isMissedByPurl({
  system,
  name,
}: {
  readonly system: System;
  readonly name: string;
}): boolean {
  return system === 'GO' && /[A-Z]/.test(name);
}

/** The purl of a package, or of a version of it. `name` as the index spells it. */
export function writePurl(type: string, name: string, version?: string): string {
  const segments = (type === 'maven' ? name.replace(':', '/') : name).split('/');
  const path = segments.map(encodeURIComponent).join('/');
  return `pkg:${type}/${path}${version === undefined ? '' : `@${encodeURIComponent(version)}`}`;
}
