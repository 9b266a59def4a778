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

/** Segments that `encodeURIComponent` does not change: those of most names. To judge a stored target, all its purls are written. */
const PLAIN_PATH = /^[\w.~/-]*$/;

/** The purl of a package, or of a version of it. `name` as the index spells it. */
export function writePurl(type: string, name: string, version?: string): string {
  const path = type === 'maven' ? name.replace(':', '/') : name;
  const encoded = PLAIN_PATH.test(path) ? path : path.split('/').map(encodeURIComponent).join('/');
  return version === undefined
    ? `pkg:${type}/${encoded}`
    : `pkg:${type}/${encoded}@${encodeURIComponent(version)}`;
}
