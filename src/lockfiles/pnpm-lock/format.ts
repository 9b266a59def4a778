import { LockfileError } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { Reading } from '../reading.ts';
import { inOnePassOr } from '../syntax/unknown-layout.ts';
import type { PnpmDocument } from './document.ts';
import { takePackages } from './packages.ts';
import { readGeneral } from './read-general.ts';
import { readLines } from './read-lines.ts';

const NAME = 'pnpm-lock';

/** pnpm's lockfile, lockfileVersion 5 to 9. */
export const pnpmLock: Format = {
  name: NAME,
  aliases: ['pnpm-lock-v5.3', 'pnpm-lock-v5.4', 'pnpm-lock-v6.0', 'pnpm-lock-v9.0'],
  title: 'pnpm-lock.yaml (lockfileVersion 5.x, 6.0, 9.0)',
  ecosystem: 'npm',
  fileNames: ['pnpm-lock.yaml', 'shrinkwrap.yaml', 'pnpm-lock.*.yaml'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  mayBeEmpty: true,
  recognises: (head) => /^(?:lockfileVersion|shrinkwrapVersion): ['"]?\d/m.test(head),
  read(input) {
    const reading = new Reading();
    const { text, path } = input;
    const documents = inOnePassOr(
      () => readLines(text),
      () => readGeneral(text, path),
    );
    if (documents.length === 0) reading.problem(undefined, 'nothing is locked: the file holds no document');
    for (const document of documents) {
      checkVersion(document, input);
      takePackages(document, reading);
    }
    return { format: NAME, ...reading.result() };
  },
};

function checkVersion({ lockfileVersion, packages, importers }: PnpmDocument, { path }: LockfileInput): void {
  if (lockfileVersion === undefined) {
    if (packages.length > 0 || importers.length > 0) return;
    throw new LockfileError('wrong-format', `${path}: has no \`lockfileVersion\`: this is no pnpm-lock.yaml`);
  }
  const major = Number.parseInt(lockfileVersion, 10);
  if (major >= 3 && major <= 9) return;
  throw new LockfileError(
    'unsupported-version',
    `${path}: lockfileVersion ${lockfileVersion.slice(0, 20)} is none of 5.x, 6.0 and 9.0, which are read`,
  );
}
