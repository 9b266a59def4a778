import { isObject } from '../../model/json-object.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import { LockfileError, shownValue, unsupported } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { findUpwards, newPlace, type Place, placeIn } from '../packages/installed-tree.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft, packageId } from '../packages/package-collector.ts';
import { readCompanion } from '../syntax/decode-text.ts';
import type { LineNode, Wanted } from '../syntax/json-lines.ts';
import { parseJson, parseJsonLines } from '../syntax/parse-json.ts';
import { type Entry, isEntry, keysOf, LISTS, readEntry } from './entry.ts';
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
  companions: [MANIFEST],
  recognises: (head) => /^\s*\{/.test(head) && /"lockfileVersion"\s*:\s*[123]\b/.test(head),
  read: readPackageLock,
};

/** Each entry of `dependencies` can have `dependencies` of the same form. */
const NESTED: { members: Record<string, Wanted> } = { members: {} };
NESTED.members['dependencies'] = { each: NESTED };
const WANTED: Wanted = { members: { packages: { each: {} }, dependencies: { each: NESTED } } };

/** Version 2 has `packages` and `dependencies`; `packages` has more facts. Version 1 and old shrinkwraps lack `packages`. */
function readPackageLock(input: LockfileInput, builder: LockfileBuilder): void {
  const { path } = input;
  const parsed = parseJsonLines(input, 'a package-lock', WANTED);
  const root: Entry = parsed.root;
  const lines = parsed.lines?.members;
  const version = root.lockfileVersion ?? 1;
  if (typeof version !== 'number' || ![1, 2, 3].includes(version)) {
    throw unsupported(path, `lockfileVersion ${shownValue(version)}`, '1, 2, 3');
  }
  const { packages, dependencies } = root;
  if (isObject(packages)) {
    readPackagesMap(packages, lines?.get('packages'), builder);
    addPackagesOfTree(root, { lines: lines?.get('dependencies'), path, manifest: undefined }, builder);
  } else if (
    isEntry(dependencies) &&
    (root.lockfileVersion !== undefined || Object.values(dependencies).some(isEntry))
  ) {
    const tree = { lines: lines?.get('dependencies'), path, manifest: readManifest(input) };
    readDependencyTree(root, tree, (draft, line, name) => builder.add(draft, line, name));
  } else requireEmpty(root, path);
}

/** Throws `LockfileError` for a file that is not a package-lock without packages. */
function requireEmpty({ packages, dependencies, lockfileVersion }: Entry, path: string): void {
  for (const [field, value] of Object.entries({ packages, dependencies })) {
    if (value === undefined || value === null || isEntry(value)) continue;
    throw new LockfileError('wrong-format', `${path}: its \`${field}\` is not an object`);
  }
  if (lockfileVersion === undefined) {
    throw new LockfileError(
      'wrong-format',
      `${path}: not a package-lock: it has neither \`lockfileVersion\` nor locked packages`,
    );
  }
}

function readManifest(input: LockfileInput): Entry | undefined {
  const manifest = readCompanion(input, MANIFEST, (text) => parseJson(text, MANIFEST, 'a package.json'));
  return isEntry(manifest) ? manifest : undefined;
}

/** An entry, which is the value of its place, or one without a package. */
interface Node {
  readonly name: string;
  readonly entry: unknown;
  readonly line: number | undefined;
  /** The lines of its own `dependencies`. */
  readonly lines: LineNode | undefined;
  readonly parent: Place<Read>;
}

interface Read {
  readonly entry: Entry;
  readonly draft: PackageDraft | undefined;
  readonly place: Place<Read>;
}

/** Deeper than any file system nests folders. */
const MAX_DEPTH = 250;

interface Tree {
  readonly lines: LineNode | undefined;
  readonly path: string;
  readonly manifest: Entry | undefined;
}

/**
 * Adds what only `dependencies` locks beside a `packages` map, and reports it: npm 6 and earlier install from `dependencies`, and later
 * versions from `packages`. Links and folders are left out, which `packages` names otherwise.
 */
function addPackagesOfTree(root: Entry, tree: Tree, builder: LockfileBuilder): void {
  if (!isEntry(root.dependencies) || !Object.values(root.dependencies).some(isEntry)) return;
  const known = new Set(builder.content().packages.map(withoutVersion));
  const told = new Set<string>();
  readDependencyTree(root, tree, (draft, line, name) => {
    if (typeof draft === 'string') return builder.add(draft, line, name);
    const { source, integrity } = draft;
    if (source.kind === 'path' || (source.kind !== 'registry' && known.has(withoutVersion(draft))))
      return undefined;
    delete draft.installScript;
    const added = builder.add(draft, line, name);
    const isSame = integrity.every(({ value }) => added?.integrity.some((other) => other.value === value));
    if ((added !== draft && isSame) || told.has(draft.id)) return undefined;
    told.add(draft.id);
    const message = `\`dependencies\` locks ${draft.id} ${added === draft ? '' : 'with a digest '}that \`packages\` does not have: npm 6 and npm 7 install different packages`;
    builder.problem(line, message, 'unclear');
    // Its edges are unknown: `packages` has those of newer versions.
    return undefined;
  });
}

/** Identifies a package from git or a URL, of which `dependencies` has no version; `undefined` for other packages. */
function withoutVersion({ name, source }: LockedPackage): string | undefined {
  return source.kind === 'registry' ? undefined : packageId(name, '', source);
}

/**
 * Reads the nested `dependencies` of lockfileVersion 1, whose lines are `lines`. The file does not say which dependencies are
 * direct; `manifest` does, where it is available. `add` returns the package whose edges are read.
 */
function readDependencyTree(root: Entry, { lines, path, manifest }: Tree, add: LockfileBuilder['add']): void {
  const top = newPlace<Read>(undefined);
  const direct = manifest === undefined ? undefined : false;
  const read: Read[] = [];
  // In the order of the text, without recursion, because the nesting is unchecked.
  const pending = entriesIn(root, lines, top).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { name, entry, line, parent } = next;
    if (parent.depth >= MAX_DEPTH) {
      throw new LockfileError(
        'too-deep',
        `${path}: dependencies nest more than ${MAX_DEPTH} levels deep, near "${name}"`,
      );
    }
    const stated = isEntry(entry) ? readEntry(entry, { folder: name, line, direct }) : 'is not an object';
    const draft = add(stated, line, name);
    if (!isEntry(entry)) continue;
    const place = placeIn(parent, name);
    place.value = { entry, draft, place };
    read.push(place.value);
    for (const child of entriesIn(entry, next.lines, place).reverse()) pending.push(child);
  }
  for (const { entry, draft, place } of read) {
    if (draft === undefined) continue;
    const required = keysOf(entry.requires).flatMap((name) => findUpwards(name, place)?.draft?.id ?? []);
    connect(draft, [...new Set(required)]);
  }
  for (const name of LISTS.flatMap((field) => keysOf(manifest?.[field]))) {
    const draft = top.children?.get(name)?.value?.draft;
    if (draft !== undefined) draft.direct = true;
  }
}

function entriesIn({ dependencies }: Entry, lines: LineNode | undefined, parent: Place<Read>): Node[] {
  if (!isEntry(dependencies)) return [];
  return Object.entries(dependencies).map(([name, entry]) => {
    const node = lines?.members?.get(name);
    return { name, entry, line: node?.line, lines: node?.members?.get('dependencies'), parent };
  });
}
