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
