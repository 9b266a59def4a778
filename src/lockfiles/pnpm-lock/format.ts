import { LockfileError, type LockfileErrorCode } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { CUT, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import { readYaml } from '../syntax/read-yaml.ts';
import { ENVIRONMENT_LISTS, type PnpmDocument, readDocument } from './document.ts';
import { addPackages } from './packages.ts';

/** pnpm's lockfile, lockfileVersion 5 to 9. */
export const pnpmLock: Format = {
  name: 'pnpm-lock',
  aliases: ['pnpm-lock-v5.3', 'pnpm-lock-v5.4', 'pnpm-lock-v6.0', 'pnpm-lock-v9.0'],
  title: 'pnpm-lock.yaml (lockfileVersion 5.x, 6.0, 9.0)',
  ecosystem: 'npm',
  fileNames: ['pnpm-lock.yaml', 'shrinkwrap.yaml', 'pnpm-lock.*.yaml'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  mayBeEmpty: false,
  readsInOnePass: true,
  recognises: (head) => /^(?:lockfileVersion|shrinkwrapVersion): ['"]?\d/m.test(head),
  read(input, builder) {
    const documents = readYaml(input, readDocument);
    if (documents.length === 0) builder.problem(undefined, 'the file has no document');
    for (const { repeated } of documents) {
      if (repeated !== undefined)
        builder.problem(undefined, `"${repeated.slice(0, 100)}" is there twice: pnpm refuses the file`);
    }
    const readable = readableDocuments(documents, input, builder);
    for (const { lockfileVersion = '', packages, snapshots } of readable)
      if (Number.parseInt(lockfileVersion, 10) >= 9 && packages.length > 0 && snapshots.length === 0)
        builder.problem(undefined, `it has packages and no snapshots: ${CUT}`);
    addPackages(readable, builder);
    // Since lockfileVersion 9, which has snapshots, `requiresBuild` is no longer written.
    const states = readable.length > 0 && readable.every(({ snapshots }) => snapshots.length === 0);
    if (states) builder.state({ statesScripts: true });
  },
};

/**
 * Returns the documents that can be read. An unreadable one among several is a problem. A file with pnpm's environment in the
 * first document but without a second one says nothing about the target.
 */
function readableDocuments(
  documents: readonly PnpmDocument[],
  { path }: LockfileInput,
  builder: LockfileBuilder,
): readonly PnpmDocument[] {
  const faults = documents.map((document) => versionFault(document));
  const [first] = faults;
  if (first !== undefined && faults.every((fault) => fault !== undefined)) {
    throw new LockfileError(first.code, `${path}: ${first.reason}`);
  }
  for (const [index, fault] of faults.entries()) {
    if (fault !== undefined) builder.problem(undefined, `document ${index + 1} is not read: ${fault.reason}`);
  }
  const readable = documents.filter((_document, index) => faults[index] === undefined);
  if (readable.length > 0 && readable.every(isEnvironment)) {
    builder.problem(undefined, 'the file has the packages of pnpm itself, but no document of the target');
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
    return { code: 'wrong-format', reason: 'not a pnpm-lock.yaml: it has no `lockfileVersion`' };
  }
  const major = Number.parseInt(lockfileVersion, 10);
  if (major >= 3 && major <= 9) return undefined;
  const shown = lockfileVersion.slice(0, 20);
  return {
    code: 'unsupported-version',
    reason: `lockfileVersion ${shown} is not supported; supported: 5.x, 6.0, 9.0`,
  };
}
