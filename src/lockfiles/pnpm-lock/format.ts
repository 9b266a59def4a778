import { LockfileError, type LockfileErrorCode } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { Reading } from '../reading.ts';
import { inOnePassOr } from '../syntax/unknown-layout.ts';
import { ENVIRONMENT_LISTS, type PnpmDocument } from './document.ts';
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
    takePackages(readableDocuments(documents, input, reading), reading);
    return { format: NAME, ...reading.result() };
  },
};

/**
 * The documents that can be read; of several, one that cannot is a problem. pnpm's environment comes in a document of its
 * own before that of the target: without the latter nothing of the target is known.
 */
function readableDocuments(
  documents: readonly PnpmDocument[],
  { path }: LockfileInput,
  reading: Reading,
): readonly PnpmDocument[] {
  const faults = documents.map((document) => versionFault(document));
  const [first] = faults;
  if (first !== undefined && faults.every((fault) => fault !== undefined)) {
    throw new LockfileError(first.code, `${path}: ${first.reason}`);
  }
  for (const [index, fault] of faults.entries()) {
    if (fault !== undefined) reading.problem(undefined, `document ${index + 1} is not read: ${fault.reason}`);
  }
  const readable = documents.filter((_document, index) => faults[index] === undefined);
  if (readable.length > 0 && readable.every(isEnvironment)) {
    reading.problem(undefined, 'the file holds what pnpm itself needs, and no document of the target');
  }
  return readable;
}

function isEnvironment({ importers }: PnpmDocument): boolean {
  const lists = importers.flatMap((importer) => [...importer.lists.keys()]);
  return lists.length > 0 && lists.every((list) => ENVIRONMENT_LISTS.includes(list));
}

function versionFault({
  lockfileVersion,
  packages,
  importers,
}: PnpmDocument): { readonly code: LockfileErrorCode; readonly reason: string } | undefined {
  if (lockfileVersion === undefined) {
    if (packages.length > 0 || importers.length > 0) return undefined;
    return { code: 'wrong-format', reason: 'has no `lockfileVersion`: this is no pnpm-lock.yaml' };
  }
  const major = Number.parseInt(lockfileVersion, 10);
  if (major >= 3 && major <= 9) return undefined;
  const shown = lockfileVersion.slice(0, 20);
  return {
    code: 'unsupported-version',
    reason: `lockfileVersion ${shown} is none of 5.x, 6.0 and 9.0, which are read`,
  };
}
