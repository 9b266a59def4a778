import type { LockedPackage, Problem } from '../../model/lockfile.ts';
import { connect, PackageCollector, type PackageDraft } from '../packages/package-collector.ts';
import { entryLines } from '../syntax/entry-lines.ts';
import { type Entry, isEntry, keysOf } from './entry.ts';
import { createTree, type Folder, findUpwards, type InstalledTree } from './installed-tree.ts';
import { readEntry } from './read-entry.ts';
import { createMemberCheck } from './workspace-members.ts';

type Field = 'dependencies' | 'optionalDependencies' | 'peerDependencies' | 'devDependencies';

const DEPENDENCIES: readonly Field[] = ['dependencies', 'optionalDependencies', 'peerDependencies'];
const OWN_DEPENDENCIES: readonly Field[] = [...DEPENDENCIES, 'devDependencies'];
/** No file system holds folders nested as deep as that. */
const MAX_DEPTH = 250;

interface Reading {
  readonly tree: InstalledTree;
  readonly collector: PackageCollector;
  readonly problems: Problem[];
  readonly links: Folder[];
  /** Lines of the folders outside `node_modules`, by path. */
  readonly outside: Map<string, number | undefined>;
  readonly direct: false | undefined;
}

/** Reads the `packages` map of lockfileVersion 2 and 3: one entry for each folder of the installed tree. */
export function readPackagesMap(
  packages: object,
  text: string,
): { readonly packages: readonly LockedPackage[]; readonly problems: readonly Problem[] } {
  const collector = new PackageCollector();
  const tree = createTree();
  const problems: Problem[] = [];
  const root = Object.hasOwn(packages, '') ? (packages as Record<string, unknown>)[''] : undefined;
  const direct = isEntry(root) ? false : undefined;
  const reading: Reading = { tree, collector, problems, links: [], outside: new Map(), direct };
  const lines = entryLines(text, 'packages');
  const entries = packages as Readonly<Record<string, unknown>>;
  for (const path of Object.keys(entries)) {
    const entry = entries[path];
    const line = lines.next(path, 2, () => [path]);
    const fault = takeEntry(reading, path, entry, line);
    if (fault !== undefined) problems.push({ line, message: `"${path.slice(0, 500)}" ${fault}` });
  }
  tree.link();
  if (isEntry(root)) takeLinkedFolders(reading, root);
  for (const folder of tree.packageFolders) {
    if (folder.draft !== undefined && folder.entry.link !== true)
      connect(folder.draft, idsNeeded(folder, DEPENDENCIES));
  }
  for (const folder of tree.ownFolders.values()) {
    if (folder.draft !== undefined) connect(folder.draft, idsNeeded(folder, OWN_DEPENDENCIES));
    else if (isEntry(root)) markDirect(folder);
  }
  return { packages: collector.packages(), problems };
}

/** Gives the reason when the entry cannot be read. */
function takeEntry(
  { tree, collector, links, outside, direct }: Reading,
  path: string,
  entry: unknown,
  line: number | undefined,
): string | undefined {
  if (!isEntry(entry)) return 'is not an object';
  if (path.length > MAX_DEPTH && path.split('node_modules/').length > MAX_DEPTH) return 'nests too deep';
  const folder = tree.add(path, entry);
  if (folder.name === undefined) {
    outside.set(path, line);
  } else if (entry.link === true) {
    links.push(folder);
  } else {
    const draft = readEntry(entry, { folder: folder.name, line, direct });
    if (typeof draft === 'string') return draft;
    folder.draft = collector.add(draft);
  }
  return undefined;
}

/**
 * Folders that are linked to and are no workspace members are `file:` dependencies: packages from a path. Members are the
 * target itself.
 */
function takeLinkedFolders({ tree, collector, problems, links, outside }: Reading, root: Entry): void {
  const isMember = createMemberCheck(root.workspaces);
  for (const link of links) {
    const target = link.entry.resolved;
    if (typeof target !== 'string' || target === '' || isMember(target)) continue;
    const linked = tree.ownFolders.get(target);
    if (linked === undefined) continue;
    const line = outside.get(target);
    const entry = { ...linked.entry, resolved: `file:${target}` };
    const draft = linked.draft ?? readEntry(entry, { folder: link.name ?? '', line, direct: false });
    if (typeof draft === 'string') problems.push({ line, message: `"${target}" ${draft}` });
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

/** The packages that the names in an entry's lists lead to. */
function neededBy(folder: Folder, fields: readonly Field[]): readonly PackageDraft[] {
  const found: PackageDraft[] = [];
  for (const field of fields) {
    const stated = folder.entry[field];
    if (stated === undefined) continue;
    for (const name of keysOf(stated)) {
      // Optional and peer dependencies need not be installed; a dependency on the target's own folders is no edge.
      const draft = findUpwards(name, folder)?.draft;
      // The same package under two names, or in two lists; the lists are short.
      if (draft !== undefined && !found.includes(draft)) found.push(draft);
    }
  }
  return found;
}
