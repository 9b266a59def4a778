import { namesInPyproject, PYPROJECT } from '../ecosystems/pyproject.ts';
import type { Format } from '../format.ts';
import { parseToml } from '../syntax/parse-toml.ts';
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
  read: (input) => ({
    format: NAME,
    ...readPackages(parseToml(input.text, input.path), input.text, namesInPyproject(input)),
  }),
};
