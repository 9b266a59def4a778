import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { takePackages } from './packages.ts';
import { readGeneral } from './read-general.ts';
import { readLines } from './read-lines.ts';

const NAME = 'bun-lock';

/** Bun's text lockfile. The binary bun.lockb is not read: `bun install --save-text-lockfile` converts it. */
export const bunLock: Format = {
  name: NAME,
  title: 'bun.lock (lockfileVersion 0, 1)',
  ecosystem: 'npm',
  fileNames: ['bun.lock'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) =>
    /^\s*\{\s*"lockfileVersion"\s*:\s*\d+,\s*(?:"configVersion"\s*:\s*\d+,\s*)?"workspaces"\s*:\s*\{/.test(
      head,
    ),
  read(input) {
    const { path, text } = input;
    const document = readLines(text, path) ?? readGeneral(text, path);
    const version = document.lockfileVersion;
    if (version !== undefined && (typeof version !== 'number' || version < 0 || version > 9)) {
      throw new LockfileError(
        'unsupported-version',
        `${path}: lockfileVersion ${JSON.stringify(version).slice(0, 40)} is none that is read (0, 1)`,
      );
    }
    return { format: NAME, ...takePackages(document) };
  },
};
