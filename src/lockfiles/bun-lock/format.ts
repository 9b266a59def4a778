import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { inOnePassOr } from '../syntax/unknown-layout.ts';
import { readPackages } from './packages.ts';
import { readDocument } from './read-document.ts';
import { readGeneral } from './read-general.ts';

/** Bun's text lockfile. */
export const bunLock: Format = {
  name: 'bun-lock',
  title: 'bun.lock (lockfileVersion 0 to 2)',
  ecosystem: 'npm',
  fileNames: ['bun.lock'],
  unreadable: {
    'bun.lockb':
      "Bun's binary lockfile is not supported; run `bun install --save-text-lockfile` to get a bun.lock",
  },
  overriddenBy: { 'bun.lockb': 'bun.lock' },
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) =>
    /^\s*\{\s*"lockfileVersion"\s*:\s*\d+,\s*(?:"configVersion"\s*:\s*\d+,\s*)?"workspaces"\s*:\s*\{/.test(
      head,
    ),
  read(input) {
    const { path, text } = input;
    const document = inOnePassOr(
      () => readDocument(text),
      () => readGeneral(text, path),
    );
    const version = document.lockfileVersion;
    if (version !== undefined && (typeof version !== 'number' || version < 0 || version > 9)) {
      throw new LockfileError(
        'unsupported-version',
        `${path}: lockfileVersion ${JSON.stringify(version).slice(0, 40)} is not supported; supported: 0 to 2`,
      );
    }
    return readPackages(document);
  },
};
