import type { LockedPackage } from './lockfile.ts';

/** Systems by ecosystem, which is a purl type. */
const SYSTEM_OF: ReadonlyMap<string, System> = new Map([
  ['npm', 'NPM'],
  ['pypi', 'PYPI'],
  ['golang', 'GO'],
  ['cargo', 'CARGO'],
  ['gem', 'RUBYGEMS'],
  ['maven', 'MAVEN'],
  ['nuget', 'NUGET'],
  ['composer', 'PACKAGIST'],
  ['pub', 'PUB'],
  ['hex', 'HEX'],
  ['swift', 'SWIFTURL'],
]);

/** Ecosystem of the "packages" that APIs are in findings. */
export const API_ECOSYSTEM = 'api';

/** Ecosystem of the "packages" that sources of targets are in findings. */
export const SOURCE_ECOSYSTEM = 'source';

/** Ecosystem of the "packages" that bases of container images are in findings. */
export const IMAGE_ECOSYSTEM = 'image';

/** Purl types whose packages are looked up. */
export const PURL_TYPES: readonly string[] = [...SYSTEM_OF.keys()];

/** Every ecosystem that a finding can be about. */
export const ECOSYSTEMS: readonly string[] = [
  ...PURL_TYPES,
  API_ECOSYSTEM,
  SOURCE_ECOSYSTEM,
  IMAGE_ECOSYSTEM,
];

/** The system of an ecosystem (a purl type), `undefined` for an ecosystem that no source holds. */
export function systemOf(ecosystem: string): System | undefined {
  return SYSTEM_OF.get(ecosystem);
}

const TYPES = new Map(Array.from(SYSTEM_OF, ([type, system]) => [system, type]));

/** The purl type of a system's packages. */
export function purlTypeOf(system: System): string {
  return TYPES.get(system) ?? '';
}

/** Systems of the package-insights API (its enumeration `system`). */
export const API_SYSTEMS = ['GO', 'RUBYGEMS', 'NPM', 'CARGO', 'MAVEN', 'PYPI', 'NUGET'] as const;
export type ApiSystem = (typeof API_SYSTEMS)[number];

/** Systems whose packages are looked up. Imported advisories alone know those that the API does not have. */
export const SYSTEMS = [...API_SYSTEMS, 'PACKAGIST', 'PUB', 'HEX', 'SWIFTURL'] as const;
export type System = (typeof SYSTEMS)[number];

/** Whether the package-insights API has packages of a system. */
export function isApiSystem(system: string | undefined): system is ApiSystem {
  return API_SYSTEMS.some((one) => one === system);
}

export interface VersionKey {
  readonly system: System;
  readonly name: string;
  readonly version: string;
}

/** `NPM:lodash@4.17.21`: a stable text form of a version key for map keys and messages. */
export function formatVersionKey(key: VersionKey): string {
  return `${key.system}:${key.name}@${key.version}`;
}

/** Systems that the index spells in lower case. */
const IN_LOWER_CASE: ReadonlySet<System> = new Set(['NUGET', 'PACKAGIST', 'PUB', 'HEX', 'SWIFTURL']);

/** Names as the index spells them: PEP 503 for PyPI, repositories for Swift, in some systems in lower case, elsewhere as the ecosystem does. */
export function canonicalName(name: string, system: System): string {
  if (system === 'PYPI') return name.replace(/[-_.]+/g, '-').toLowerCase();
  const plain = system === 'SWIFTURL' ? name.replace(/^https?:\/\/|\.git$/gi, '') : name;
  return IN_LOWER_CASE.has(system) ? plain.toLowerCase() : plain;
}

/** The name under which advisories about a package are stored: names of Go modules are looked up by purl, which is in lower case. */
export function storedName(system: System, name: string): string {
  return system === 'GO' ? name.toLowerCase() : canonicalName(name, system);
}

/** Versions as the index spells them: for Go with `v`, for its standard library with `go`, which some files omit. */
export function canonicalVersion(version: string, name: string, system: System): string {
  if (system !== 'GO' || !/^\d/.test(version)) return version;
  return name === 'stdlib' ? `go${version}` : `v${version}`;
}

/** Whether an index may lack a package by purl only: purls of Go modules and npm packages are in lower case, names need not be. */
export function isMissedByPurl({
  system,
  name,
}: {
  readonly system: System;
  readonly name: string;
}): boolean {
  return (system === 'GO' || system === 'NPM') && /[A-Z]/.test(name);
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

/** A published version as a lockfile names it that gets it from the public registry. */
export function publishedPackage({ system, name, version }: VersionKey): LockedPackage {
  const ecosystem = purlTypeOf(system);
  const purl = writePurl(ecosystem, name, version);
  return registryPackage({ id: `${name}@${version}`, ecosystem, name, version, purl });
}

/** A package of the public registry, without what only a lockfile states. */
export function registryPackage(
  named: Pick<LockedPackage, 'id' | 'ecosystem' | 'name' | 'version' | 'purl'>,
): LockedPackage {
  return {
    ...named,
    direct: undefined,
    groups: [],
    integrity: [],
    source: { kind: 'registry' },
    line: undefined,
    dependencies: undefined,
  };
}
