import type { Format } from '../format.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { namesInPipfile, PIPFILE } from './manifest.ts';
import { readPackages } from './packages.ts';

const NAME = 'pipfile-lock';

/** Pipenv's lockfile. */
export const pipfileLock: Format = {
  name: NAME,
  title: 'Pipfile.lock',
  ecosystem: 'pypi',
  fileNames: ['Pipfile.lock'],
  facts: { edges: false, groups: true, integrity: true, lines: true },
  mayBeEmpty: true,
  companions: () => [PIPFILE],
  recognises: (head) => /^\s*\{/.test(head) && /"pipfile-spec"\s*:/.test(head),
  read(input) {
    const { text, path } = input;
    const root = text.trim() === '' ? {} : parseJsonObject(text, path, 'a Pipfile.lock');
    return { format: NAME, ...readPackages(root, text, namesInPipfile(input)) };
  },
};
