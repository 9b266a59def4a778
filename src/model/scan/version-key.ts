/** Systems of the package-insights API (its enumeration `system`). */
export type System = 'GO' | 'RUBYGEMS' | 'NPM' | 'CARGO' | 'MAVEN' | 'PYPI' | 'NUGET';

export interface VersionKey {
  readonly system: System;
  readonly name: string;
  readonly version: string;
}

/** `NPM:lodash@4.17.21`: a stable text form of a version key for map keys and messages. */
export function formatVersionKey(key: VersionKey): string {
  return `${key.system}:${key.name}@${key.version}`;
}
