import type { Lockfile } from '../../model/scan/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { inOnePassOr } from '../syntax/unknown-layout.ts';
import { readDependencyTree } from './dependency-tree.ts';
import { type Entry, isEntry } from './entry.ts';
import { readPackagesMap } from './packages-map.ts';
import { readGeneral } from './read-general.ts';
import { readPackages } from './read-packages.ts';

type Content = Pick<Lockfile, 'packages' | 'problems'>;

const NAME = 'npm-package-lock';

/** npm's own lockfile, lockfileVersion 1 to 3, under all of its names. */
export const npmPackageLock: Format = {
  name: NAME,
  aliases: ['npm-package-lock-v1', 'npm-package-lock-v2', 'npm-package-lock-v3'],
  title: 'npm package-lock (lockfileVersion 1, 2, 3)',
  ecosystem: 'npm',
  fileNames: ['package-lock.json', 'npm-shrinkwrap.json', '.package-lock.json'],
  overriddenBy: { 'package-lock.json': 'npm-shrinkwrap.json' },
  facts: { edges: true, groups: true, integrity: true, lines: true },
  companions: () => ['package.json'],
  recognises: (head) => /^\s*\{/.test(head) && /"lockfileVersion"\s*:\s*[123]\b/.test(head),
  read(input) {
    const content = inOnePassOr(
      () => readPackagesMap(readPackages(input.text)),
      () => readParsed(input),
    );
    return { format: NAME, ...content };
  },
};

/**
 * Version 2 holds both forms and `packages` is the one that tells more; version 1 and shrinkwraps of old have only
 * `dependencies`. A lock of nothing has neither.
 */
function readParsed({ text, path, sibling }: LockfileInput): Content {
  const root: Entry = parseJsonObject(text, path, 'a package-lock');
  const version = root.lockfileVersion ?? 1;
  if (typeof version !== 'number' || ![1, 2, 3].includes(version)) {
    throw new LockfileError(
      'unsupported-version',
      `${path}: lockfileVersion ${JSON.stringify(version)} is none of 1, 2 and 3, which are read`,
    );
  }
  const { packages, dependencies } = root;
  if (isEntry(packages)) return readPackagesMap(readGeneral(packages, text));
  if (isEntry(dependencies) && (root.lockfileVersion !== undefined || holdsEntries(dependencies))) {
    return readDependencyTree(root, text, path, manifestOf(sibling));
  }
  for (const [field, value] of Object.entries({ packages, dependencies })) {
    if (value === undefined || value === null || isEntry(value)) continue;
    throw new LockfileError('wrong-format', `${path}: its \`${field}\` is not an object`);
  }
  if (root.lockfileVersion === undefined) {
    throw new LockfileError(
      'wrong-format',
      `${path}: has neither \`lockfileVersion\` nor locked packages: this is no package-lock`,
    );
  }
  return { packages: [], problems: [] };
}

/** Shrinkwraps of old state no version; their entries are objects, where a manifest has ranges. */
function holdsEntries(dependencies: object): boolean {
  return Object.values(dependencies).some(isEntry);
}

function manifestOf(sibling: LockfileInput['sibling']): Entry | undefined {
  const content = sibling?.('package.json');
  if (content === undefined) return undefined;
  try {
    const manifest: unknown = JSON.parse(content.toString('utf8').replace(/^\uFEFF/, ''));
    return isEntry(manifest) ? manifest : undefined;
  } catch {
    // The manifest only adds what the lockfile does not say; its faults are not the lockfile's.
    return undefined;
  }
}
