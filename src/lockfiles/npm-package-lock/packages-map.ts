import type { LockedPackage, Problem } from '../../model/scan/lockfile.ts';
import { connect, PackageCollector, type PackageDraft } from '../packages/package-collector.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { createTree, type Folder, findUpwards, type InstalledTree } from './installed-tree.ts';
import type { NpmEntry } from './npm-entry.ts';
import { readEntry } from './read-entry.ts';
import { createMemberCheck } from './workspace-members.ts';

type Field = 'dependencies' | 'optionalDependencies' | 'peerDependencies' | 'devDependencies';

const DEPENDENCIES: readonly Field[] = ['dependencies', 'optionalDependencies', 'peerDependencies'];
const OWN_DEPENDENCIES: readonly Field[] = [...DEPENDENCIES, 'devDependencies'];
/** No file system holds folders nested as deep as that. */
const MAX_DEPTH = 250;
/** Up to here, looking through a list costs less than a set does. */
const MANY = 50;

interface Reading {
  readonly tree: InstalledTree;
  readonly collector: PackageCollector;
  readonly problems: ProblemList;
  readonly links: Folder[];
  readonly direct: false | undefined;
}

/** Reads the `packages` map of lockfileVersion 2 and 3: one entry for each folder of the installed tree. */
export function readPackagesMap(entries: readonly NpmEntry[]): {
  readonly packages: readonly LockedPackage[];
  readonly problems: readonly Problem[];
} {
  const collector = new PackageCollector();
  const tree = createTree(
    new Set(entries.flatMap(({ link, resolved }) => (link && typeof resolved === 'string' ? resolved : []))),
  );
  const problems = new ProblemList();
  const root = entries.find(({ path, isObject }) => path === '' && isObject);
  const direct = root === undefined ? undefined : false;
  const reading: Reading = { tree, collector, problems, links: [], direct };
  for (const entry of entries) {
    const fault = takeEntry(reading, entry);
    if (fault === undefined) continue;
    problems.add(entry.line, `"${entry.path.slice(0, 500)}" ${fault}`);
  }
  tree.link();
  if (root !== undefined) takeLinkedFolders(reading, root);
  for (const folder of tree.packageFolders) {
    if (folder.draft !== undefined && !folder.entry.link)
      connect(folder.draft, idsNeeded(folder, DEPENDENCIES));
  }
  for (const folder of tree.ownFolders.values()) {
    if (folder.draft !== undefined) connect(folder.draft, idsNeeded(folder, OWN_DEPENDENCIES));
    else if (root !== undefined) markDirect(folder);
  }
  return { packages: collector.packages(), problems: problems.all() };
}

/** Gives the reason when the entry cannot be read. */
function takeEntry({ tree, collector, links, direct }: Reading, entry: NpmEntry): string | undefined {
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
  folder.draft = collector.add(draft);
  return undefined;
}

/**
 * Folders that are linked to and are no workspace members are `file:` dependencies: packages from a path. Members are the
 * target itself.
 */
function takeLinkedFolders({ tree, collector, problems, links }: Reading, root: NpmEntry): void {
  const isMember = createMemberCheck(root.workspaces);
  for (const link of links) {
    const target = link.entry.resolved;
    if (typeof target !== 'string' || target === '' || isMember(target)) continue;
    const linked = tree.ownFolders.get(target);
    if (linked === undefined) continue;
    const { line } = linked.entry;
    const entry = { ...linked.entry, resolved: `file:${target}` };
    const draft = linked.draft ?? readEntry(entry, { folder: link.name ?? '', line, direct: false });
    if (typeof draft === 'string') problems.add(line, `"${target}" ${draft}`);
    else {
      linked.draft ??= collector.add(draft);
      link.draft = linked.draft;
    }
  }
}

/** A member or the root asks for its dependencies directly; an entry with `resolved` is somebody else's folder. */
function markDirect(folder: Folder): void {
  if (typeof folder.entry.resolved === 'string') return;
  for (const draft of neededBy(folder, OWN_DEPENDENCIES)) draft.direct = true;
}

function idsNeeded(folder: Folder, fields: readonly Field[]): string[] {
  return neededBy(folder, fields).map(({ id }) => id);
}

/** The packages that the names in an entry's lists lead to, each once: under two names, or in two lists, it is the same. */
function neededBy(folder: Folder, fields: readonly Field[]): readonly PackageDraft[] {
  const found: PackageDraft[] = [];
  for (const field of fields) {
    for (const name of folder.entry[field]) {
      // Optional and peer dependencies need not be installed; a dependency on the target's own folders is no edge.
      const draft = findUpwards(name, folder)?.draft;
      if (draft !== undefined && (found.length > MANY || !found.includes(draft))) found.push(draft);
    }
  }
  return found.length > MANY ? [...new Set(found)] : found;
}
