import type { System } from '../model/lockfile/ecosystem.ts';
import { composer } from './composer.ts';
import { maven } from './maven.ts';
import { nuget } from './nuget.ts';
import { python } from './pep440.ts';
import { ruby } from './ruby.ts';
import { caretLine, compareSemantic, inSemanticRange, isSemantic, isSemanticPrerelease } from './semantic.ts';
import type { VersionScheme } from './version-scheme.ts';

/** A requirement under another name (`npm:name@^1`) or of Yarn's default protocol (`npm:^1`). */
const PROTOCOL = /^npm:(?:(?:@[^@/]+\/)?[^@/]+@)?/;

/** npm: node-semver, which npm itself uses. */
export const npm: VersionScheme = {
  isValid: isSemantic,
  compare: compareSemantic,
  isPrerelease: isSemanticPrerelease,
  line: caretLine,
  satisfies: (version, requirement) => inSemanticRange(version, requirement.replace(PROTOCOL, '')),
};

/**
 * Go modules: semantic versions with `v`; the standard library with `go`. A requirement is a lower bound: the highest bound of
 * all modules is selected, so every later version of the same module path is permitted.
 */
export const go: VersionScheme = {
  isValid: (version) => isSemantic(semanticText(version)),
  compare: (left, right) => compareSemantic(semanticText(left), semanticText(right)),
  // The `-` of a pseudo-version begins a pre-release as well, and modules without tags have nothing else.
  isPrerelease: (version) => isSemanticPrerelease(semanticText(version)),
  // The major version is part of the module path.
  line: () => '',
  satisfies: (version, requirement) =>
    isSemantic(semanticText(requirement)) ? go.compare(version, requirement) >= 0 : undefined,
};

/** `go1.21` and `go1.21rc2` are releases and release candidates of the standard library. */
function semanticText(version: string): string {
  const match = /^(?:go|v)?(\d+(?:\.\d+){0,2})((?:rc|beta|-).*|\+incompatible)?$/.exec(version);
  if (match === null) return version;
  const [, numbers = '', rest = ''] = match;
  const padded = [...numbers.split('.'), '0', '0'].slice(0, 3).join('.');
  if (rest === '' || rest.startsWith('-') || rest.startsWith('+')) return padded + rest;
  return `${padded}-${rest.replace(/(?<=[a-z])(?=\d)/, '.')}`;
}

/** Cargo: semantic versions. Requirements are separated by commas, and one without an operator is a caret requirement. */
export const cargo: VersionScheme = {
  isValid: isSemantic,
  compare: compareSemantic,
  isPrerelease: isSemanticPrerelease,
  line: caretLine,
  satisfies(version, requirement) {
    const parts = requirement.split(',').map((part) => part.trim());
    const range = parts
      .map((part) => (/^\d/.test(part) && !part.includes('*') ? `^${part}` : part))
      .join(' ');
    return inSemanticRange(version, range);
  },
};

/** pub: semantic versions, of which those with build metadata are later. A requirement is a range, or `any`. */
const pub: VersionScheme = {
  ...npm,
  compare: (left, right) => compareSemantic(left, right) || compareBuilds(left, right),
  satisfies: (version, requirement) => inSemanticRange(version, requirement.replace(/^any$/, '*')),
};

/** Build metadata in the order of pre-releases, as pub has it; a version without it is the earliest. */
function compareBuilds(left: string, right: string): number {
  const [own = '', other = ''] = [left, right].map((one) => /\+(.*)$/s.exec(one)?.[1]);
  if (own === '' || other === '') return Math.sign(own.length - other.length);
  return compareSemantic(`0.0.0-${own}`, `0.0.0-${other}`);
}

const SCHEMES: Readonly<Record<System, VersionScheme>> = {
  NPM: npm,
  CARGO: cargo,
  GO: go,
  PYPI: python,
  RUBYGEMS: ruby,
  MAVEN: maven,
  NUGET: nuget,
  PACKAGIST: composer,
  PUB: pub,
  HEX: npm,
  SWIFTURL: npm,
};

/** The order of versions and the meaning of requirements in a system. */
export function schemeOf(system: System): VersionScheme {
  return SCHEMES[system];
}
