import { isObject } from '../../model/json-object.ts';
import { LockfileError } from '../errors.ts';
import type { Format, LockfileContent, LockfileInput } from '../format.ts';
import type { Wanted } from '../syntax/json-lines.ts';
import { parseJson, parseJsonLines } from '../syntax/parse-json.ts';
import { readCompanion } from '../syntax/read-companion.ts';
import { readDependencyTree } from './dependency-tree.ts';
import { type Entry, isEntry } from './entry.ts';
import { readPackagesMap } from './packages-map.ts';

const MANIFEST = 'package.json';

/** npm's lockfile, lockfileVersion 1 to 3. */
export const npmPackageLock: Format = {
  name: 'npm-package-lock',
  aliases: ['npm-package-lock-v1', 'npm-package-lock-v2', 'npm-package-lock-v3'],
  title: 'npm package-lock (lockfileVersion 1, 2, 3)',
  ecosystem: 'npm',
  fileNames: ['package-lock.json', 'npm-shrinkwrap.json', '.package-lock.json'],
  overriddenBy: { 'package-lock.json': 'npm-shrinkwrap.json' },
  facts: { edges: true, groups: true, integrity: true, lines: true },
  readsInOnePass: true,
  companions: () => [MANIFEST],
  recognises: (head) => /^\s*\{/.test(head) && /"lockfileVersion"\s*:\s*[123]\b/.test(head),
  read: readPackageLock,
};

/** Each entry of `dependencies` can have `dependencies` of the same form. */
const NESTED: { members: Record<string, Wanted> } = { members: {} };
NESTED.members['dependencies'] = { each: NESTED };
const WANTED: Wanted = { members: { packages: { each: {} }, dependencies: { each: NESTED } } };

/** Version 2 has `packages` and `dependencies`; `packages` has more facts. Version 1 and old shrinkwraps lack `packages`. */
function readPackageLock(input: LockfileInput): LockfileContent {
  const { path } = input;
  const parsed = parseJsonLines(input, 'a package-lock', WANTED);
  const root: Entry = parsed.root;
  const lines = parsed.lines?.members;
  const version = root.lockfileVersion ?? 1;
  if (typeof version !== 'number' || ![1, 2, 3].includes(version)) {
    throw new LockfileError(
      'unsupported-version',
      `${path}: lockfileVersion ${JSON.stringify(version)} is not supported; supported: 1, 2, 3`,
    );
  }
  const { packages, dependencies } = root;
  if (isObject(packages)) return readPackagesMap(packages, lines?.get('packages'));
  if (
    isEntry(dependencies) &&
    (root.lockfileVersion !== undefined || Object.values(dependencies).some(isEntry))
  ) {
    return readDependencyTree(root, lines?.get('dependencies'), path, readManifest(input));
  }
  for (const [field, value] of Object.entries({ packages, dependencies })) {
    if (value === undefined || value === null || isEntry(value)) continue;
    throw new LockfileError('wrong-format', `${path}: its \`${field}\` is not an object`);
  }
  if (root.lockfileVersion === undefined) {
    throw new LockfileError(
      'wrong-format',
      `${path}: not a package-lock: it has neither \`lockfileVersion\` nor locked packages`,
    );
  }
  return { packages: [], problems: [] };
}

function readManifest(input: LockfileInput): Entry | undefined {
  const manifest = readCompanion(input, MANIFEST, (text) => parseJson(text, MANIFEST, 'a package.json'));
  return isEntry(manifest) ? manifest : undefined;
}
