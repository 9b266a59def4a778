import type { LockedPackage } from '../../model/scan/lockfile.ts';
import { formatVersionKey, type System, type VersionKey } from '../../model/scan/version-key.ts';

/** What is sent for a package. */
export interface LookUp {
  /** Identifies it. A purl cannot: for Go it is in lower case, and the module may not be. */
  readonly key: string;
  /** Canonical for the index, without qualifiers and subpath. */
  readonly purl: string;
  readonly versionKey: VersionKey;
}

/** What a canonical purl with a version looks like; the service refuses a whole batch for one that does not. */
const CANONICAL_PURL = /^pkg:[a-z]+\/(?:[\w.~%:+!-]+\/)*[\w.~%:+!-]+@[\w.~%:+!-]+$/;

/** The look-up of a package in a supported ecosystem; `undefined` when its purl is malformed. */
export function lookUpOf(locked: LockedPackage, system: System): LookUp | undefined {
  const version = canonicalVersion(locked.version, locked.name, system);
  const name = canonicalName(locked.name, system);
  // A purl spells most names as the look-up does; where it does not, it is written anew.
  const renamed = name !== locked.name || version !== locked.version;
  const purl = renamed ? writePurl(locked.ecosystem, name, version) : locked.purl.replace(/[?#].*$/s, '');
  if (!purl.startsWith(`pkg:${locked.ecosystem}/`) || !CANONICAL_PURL.test(purl)) return undefined;
  const versionKey = { system, name, version };
  return { key: formatVersionKey(versionKey), purl, versionKey };
}

/** Names as the index spells them: PEP 503 for PyPI, lower case for NuGet, elsewhere as the ecosystem does. */
export function canonicalName(name: string, system: System): string {
  if (system === 'PYPI') return name.replace(/[-_.]+/g, '-').toLowerCase();
  return system === 'NUGET' ? name.toLowerCase() : name;
}

/** Go versions carry `v`, the standard library `go`; some files leave it out. */
export function canonicalVersion(version: string, name: string, system: System): string {
  if (system !== 'GO' || !/^\d/.test(version)) return version;
  return name === 'stdlib' ? `go${version}` : `v${version}`;
}

/** Purls of Go modules are in lower case: a module with capitals is missed by purl and found by name. */
export function isMissedByPurl({
  system,
  name,
}: {
  readonly system: System;
  readonly name: string;
}): boolean {
  return system === 'GO' && /[A-Z]/.test(name);
}

/** `name` as the index spells it; without a version it is the package's purl. */
export function writePurl(type: string, name: string, version?: string): string {
  const segments = (type === 'maven' ? name.replace(':', '/') : name).split('/');
  const path = segments.map(encodeURIComponent).join('/');
  return `pkg:${type}/${path}${version === undefined ? '' : `@${encodeURIComponent(version)}`}`;
}
