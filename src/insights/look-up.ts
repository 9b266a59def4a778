import type { LockedPackage } from '../model/lockfile.ts';
import { formatVersionKey, type System, type VersionKey } from '../model/version-record.ts';

/** What is sent for a package. */
export interface LookUp {
  /** Identifies it. A purl cannot: for Go it is in lower case, and the module may not be. */
  readonly key: string;
  /** Canonical for the index, without qualifiers and subpath. */
  readonly purl: string;
  readonly versionKey: VersionKey;
}

const SYSTEMS: ReadonlyMap<string, System> = new Map([
  ['npm', 'NPM'],
  ['pypi', 'PYPI'],
  ['golang', 'GO'],
  ['cargo', 'CARGO'],
  ['gem', 'RUBYGEMS'],
  ['maven', 'MAVEN'],
  ['nuget', 'NUGET'],
]);

/** What a canonical purl with a version looks like; the service refuses a whole batch for one that does not. */
const CANONICAL_PURL = /^pkg:[a-z]+\/(?:[\w.~%:+!-]+\/)*[\w.~%:+!-]+@[\w.~%:+!-]+$/;

/** The index's system for an ecosystem, `undefined` when it holds none of that. */
export function systemOf(ecosystem: string): System | undefined {
  return SYSTEMS.get(ecosystem);
}

/** The look-up of a package in a supported ecosystem; `undefined` when its purl is malformed. */
export function lookUpOf(locked: LockedPackage, system: System): LookUp | undefined {
  const version = lookUpVersion(locked, system);
  const name = lookUpName(locked.name, system);
  // A purl spells most names as the look-up does; where it does not, it is written anew.
  const renamed = name !== locked.name || version !== locked.version;
  const purl = renamed ? writePurl(locked, name, version) : locked.purl.replace(/[?#].*$/s, '');
  if (!purl.startsWith(`pkg:${locked.ecosystem}/`) || !CANONICAL_PURL.test(purl)) return undefined;
  const versionKey = { system, name, version };
  return { key: formatVersionKey(versionKey), purl, versionKey };
}

/** Names as the index spells them: PEP 503 for PyPI, lower case for NuGet, elsewhere as the ecosystem does. */
export function lookUpName(name: string, system: System): string {
  if (system === 'PYPI') return name.replace(/[-_.]+/g, '-').toLowerCase();
  return system === 'NUGET' ? name.toLowerCase() : name;
}

/** Go versions carry `v`, the standard library `go`; some files leave it out. */
function lookUpVersion({ name, version }: LockedPackage, system: System): string {
  if (system !== 'GO' || !/^\d/.test(version)) return version;
  return name === 'stdlib' ? `go${version}` : `v${version}`;
}

function writePurl({ ecosystem }: LockedPackage, name: string, version: string): string {
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:${ecosystem}/${path}@${encodeURIComponent(version)}`;
}
