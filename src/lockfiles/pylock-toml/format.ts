import { namesInPyproject, PYPROJECT } from '../ecosystems/pyproject.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { parseToml, textIn } from '../syntax/parse-toml.ts';
import { readPackages } from './packages.ts';

const NAME = 'pylock-toml';

/** The lockfile of PEP 751, which pip, uv, PDM and others write. */
export const pylockToml: Format = {
  name: NAME,
  title: 'pylock.toml (PEP 751)',
  ecosystem: 'pypi',
  fileNames: ['pylock.toml', 'pylock.*.toml'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  mayBeEmpty: true,
  companions: () => [PYPROJECT],
  recognises: (head) => /^lock-version\s*=/m.test(head) && /^created-by\s*=/m.test(head),
  read(input) {
    const { path, text } = input;
    const root = parseToml(text, path);
    const version = textIn(root['lock-version']);
    // The specification has readers refuse another major version.
    if (version !== undefined && !/^1(?:\.|$)/.test(version)) {
      throw new LockfileError(
        'unsupported-version',
        `${path}: lock-version ${version} is not 1, which is read`,
      );
    }
    return { format: NAME, ...readPackages(root, text, namesInPyproject(input)) };
  },
};
