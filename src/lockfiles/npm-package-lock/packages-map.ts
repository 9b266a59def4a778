import type { LockfileContent } from '../format.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { createTree, type Folder, findUpwards, type InstalledTree } from './installed-tree.ts';
import type { NpmEntry } from './npm-entry.ts';
import { readEntry } from './read-entry.ts';
import { createMemberCheck } from './workspace-members.ts';

type Field = 'dependencies' | 'optionalDependencies' | 'peerDependencies' | 'devDependencies';

const DEPENDENCIES: readonly Field[] = ['dependencies', 'optionalDependencies', 'peerDependencies'];
const OWN_DEPENDENCIES: readonly Field[] = [...DEPENDENCIES, 'devDependencies'];
/** Deeper than any file system nests folders. */
const MAX_DEPTH = 250;
/** Up to this length a list is faster than a set. */
const MANY = 50;

interface Tree {
  readonly tree: InstalledTree;
  readonly builder: LockfileBuilder;
  readonly links: Folder[];
  readonly direct: false | undefined;
}

/** Reads the `packages` map of lockfileVersion 2 and 3: one entry for each folder of the installed tree. */
export function readPackagesMap(entries: readonly NpmEntry[]): LockfileContent {
  const builder = new LockfileBuilder();
  const tree = createTree(
    new Set(entries.flatMap(({ link, resolved }) => (link && typeof resolved === 'string' ? resolved : []))),
  );
  const root = entries.find(({ path, isObject }) => path === '' && isObject);
  const state: Tree = { tree, builder, links: [], direct: root === undefined ? undefined : false };
  for (const entry of entries) {
    const fault = addEntry(state, entry);
    if (fault !== undefined) builder.problem(entry.line, `"${entry.path.slice(0, 500)}" ${fault}`);
  }
  tree.link();
  if (root !== undefined) addLinkedFolders(state, root);
  for (const folder of tree.packageFolders) {
    if (folder.draft !== undefined && !folder.entry.link)
      connect(folder.draft, idsNeeded(folder, DEPENDENCIES));
  }
  for (const folder of tree.ownFolders.values()) {
    if (folder.draft !== undefined) connect(folder.draft, idsNeeded(folder, OWN_DEPENDENCIES));
    else if (root !== undefined) markDirect(folder);
  }
  return builder.content();
}

/** Returns why the entry cannot be read. */
function addEntry({ tree, builder, links, direct }: Tree, entry: NpmEntry): string | undefined {
  const { path, line } = entry;
  if (!entry.isObject) return 'is not an object';
  if (path.length > MAX_DEPTH && path.split('node_modules/').length > MAX_DEPTH) return 'nests too deep';
  const folder = tree.add(entry);
  if (folder.name === undefined) return undefined;
  if (entry.link) {
    links.push(folder);
    return undefined;
  }
  const draft = readEntry(entry, { folder: folder.name, line, direct });
  if (typeof draft === 'string') return draft;
  folder.draft = builder.add(draft, line, path);
  return undefined;
}

/** Linked folders are `file:` dependencies, packages from a path, unless they are workspace members (the target). */
function addLinkedFolders({ tree, builder, links }: Tree, root: NpmEntry): void {
  const isMember = createMemberCheck(root.workspaces);
  for (const link of links) {
    const target = link.entry.resolved;
    if (typeof target !== 'string' || target === '' || isMember(target)) continue;
    const linked = tree.ownFolders.get(target);
    if (linked === undefined) continue;
    const { line } = linked.entry;
    const entry = { ...linked.entry, resolved: `file:${target}` };
    linked.draft ??= builder.add(
      readEntry(entry, { folder: link.name ?? '', line, direct: false }),
      line,
      target,
    );
    link.draft = linked.draft;
  }
}

/** Dependencies of the root and of members are direct. A folder with `resolved` does not belong to the target. */
function markDirect(folder: Folder): void {
  if (typeof folder.entry.resolved === 'string') return;
  for (const draft of neededBy(folder, OWN_DEPENDENCIES)) draft.direct = true;
}

function idsNeeded(folder: Folder, fields: readonly Field[]): string[] {
  return neededBy(folder, fields).map(({ id }) => id);
}

/** The packages to which the names in an entry's lists resolve, without repeats. */
function neededBy(folder: Folder, fields: readonly Field[]): readonly PackageDraft[] {
  const found: PackageDraft[] = [];
  for (const field of fields) {
    for (const name of folder.entry[field]) {
      // Not every optional or peer dependency is installed. The target's own folders have no draft.
      const draft = findUpwards(name, folder)?.draft;
      if (draft !== undefined && (found.length > MANY || !found.includes(draft))) found.push(draft);
    }
  }
  return found.length > MANY ? [...new Set(found)] : found;
}
