import type { System } from '../model/lockfile/ecosystem.ts';
import { cargo } from './cargo.ts';
import { go } from './go.ts';
import { maven } from './maven.ts';
import { npm } from './npm.ts';
import { nuget } from './nuget.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import type { VersionScheme } from './version-scheme.ts';

const SCHEMES: Readonly<Record<System, VersionScheme>> = {
  NPM: npm,
  CARGO: cargo,
  GO: go,
  PYPI: python,
  RUBYGEMS: ruby,
  MAVEN: maven,
  NUGET: nuget,
};

/** The order of versions and the meaning of requirements in a system. */
export function schemeOf(system: System): VersionScheme {
  return SCHEMES[system];
}
