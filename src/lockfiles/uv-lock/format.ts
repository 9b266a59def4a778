import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { parseToml } from '../syntax/parse-toml.ts';
import { readPackages } from './packages.ts';

const NAME = 'uv-lock';

/** uv's lockfile, version 1 with all its revisions. */
export const uvLock: Format = {
  name: NAME,
  title: 'uv.lock (version 1)',
  ecosystem: 'pypi',
  fileNames: ['uv.lock', '*.py.lock'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  mayBeEmpty: true,
  recognises: (head) =>
    /^version = \d+\s/.test(head) && /^(?:requires-python = |\[\[package\]\])/m.test(head),
  read({ path, text }) {
    const root = parseToml(text, path);
    const version = root['version'] ?? 1;
    if (version !== 1) {
      const stated = typeof version === 'number' ? version : 'of another type than a number';
      throw new LockfileError('unsupported-version', `${path}: version ${stated} is not 1, which is read`);
    }
    return { format: NAME, ...readPackages(root, text) };
  },
};
