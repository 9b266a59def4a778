/** Systems of the package-insights API (its enumeration `system`). */
export const SYSTEMS = ['GO', 'RUBYGEMS', 'NPM', 'CARGO', 'MAVEN', 'PYPI', 'NUGET'] as const;
export type System = (typeof SYSTEMS)[number];

export interface VersionKey {
  readonly system: System;
  readonly name: string;
  readonly version: string;
}

/** `NPM:lodash@4.17.21`: a stable text form of a version key for map keys and messages. */
export function formatVersionKey(key: VersionKey): string {
  return `${key.system}:${key.name}@${key.version}`;
}
