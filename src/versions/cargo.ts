import { caretLine, compareSemantic, inSemanticRange, isSemantic, isSemanticPrerelease } from './semantic.ts';
import type { VersionScheme } from './version-scheme.ts';

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
