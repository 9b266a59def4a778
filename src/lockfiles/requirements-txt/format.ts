import type { Format } from '../format.ts';
import { includedPaths } from './logical-lines.ts';
import { readRequirements } from './requirements.ts';

const NAME = 'requirements-txt';

/** pip's requirements files, with what they include. */
export const requirementsTxt: Format = {
  name: NAME,
  title: 'requirements.txt (pip, pip-compile, uv)',
  ecosystem: 'pypi',
  fileNames: [
    'requirements.txt',
    'requirements*.txt',
    '*requirements.txt',
    '*-requirements-*.txt',
    'requirements/*.txt',
  ],
  facts: { edges: false, groups: false, integrity: true, lines: true },
  mayBeEmpty: true,
  companions: includedPaths,
  recognises: (head) => /^[\w.-]+(?:\[[\w,. -]+\])?\s*==\s*\d[\w.!+*-]*\s*(?:$|[;#\\]|--hash)/m.test(head),
  read: (input) => ({ format: NAME, ...readRequirements(input) }),
};
