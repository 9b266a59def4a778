import { compareSemantic, isSemantic, isSemanticPrerelease } from './semantic.ts';
import type { VersionScheme } from './version-scheme.ts';

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
