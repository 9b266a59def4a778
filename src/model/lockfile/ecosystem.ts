import type { System } from './version-key.ts';

/** The index's systems by ecosystem, which is a purl type. */
const SYSTEM_OF: ReadonlyMap<string, System> = new Map([
  ['npm', 'NPM'],
  ['pypi', 'PYPI'],
  ['golang', 'GO'],
  ['cargo', 'CARGO'],
  ['gem', 'RUBYGEMS'],
  ['maven', 'MAVEN'],
  ['nuget', 'NUGET'],
]);

/** Ecosystem of the "packages" that APIs are in findings. */
export const API_ECOSYSTEM = 'api';

/** Ecosystem of the "packages" that sources of targets are in findings. */
export const SOURCE_ECOSYSTEM = 'source';

/** Ecosystem of the "packages" that bases of container images are in findings. */
export const IMAGE_ECOSYSTEM = 'image';

/** Purl types that the index holds. */
export const PURL_TYPES: readonly string[] = [...SYSTEM_OF.keys()];

/** Every ecosystem that a finding can be about. */
export const ECOSYSTEMS: readonly string[] = [
  ...PURL_TYPES,
  API_ECOSYSTEM,
  SOURCE_ECOSYSTEM,
  IMAGE_ECOSYSTEM,
];

/** The index's system for an ecosystem (a purl type), `undefined` for an ecosystem that the index does not hold. */
export function systemOf(ecosystem: string): System | undefined {
  return SYSTEM_OF.get(ecosystem);
}

const TYPES = new Map(Array.from(SYSTEM_OF, ([type, system]) => [system, type]));

/** The purl type of a system's packages. */
export function purlTypeOf(system: System): string {
  return TYPES.get(system) ?? '';
}
