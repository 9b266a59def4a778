import type { Problem } from '../../model/lockfile.ts';
import { connect, PackageCollector, type PackageDraft } from '../package-collector.ts';
import { type Entry, faultOf, isEntry, keysOf, textField } from './entry.ts';
import { entryLines } from './lines.ts';
import { readEntry } from './read-entry.ts';

/** A folder of the installed tree: the target itself, a workspace member, or a package under `node_modules`. */
interface Folder {
  readonly entry: Entry | undefined;
  /** The package in it; `undefined` for the target's own folders and for links to them. */
  readonly draft: PackageDraft | undefined;
  parent: Folder | undefined;
  children: Map<string, Folder> | undefined;
}

interface Tree {
  readonly folders: Map<string, Folder>;
  readonly collector: PackageCollector;
  readonly problems: Problem[];
}

const NODE_MODULES = 'node_modules/';
const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const;
const OWN_DEPENDENCIES = [...DEPENDENCIES, 'devDependencies'] as const;

/** Reads the `packages` map of lockfileVersion 2 and 3: one entry for each folder of the installed tree. */
export function readPackagesMap(packages: Readonly<Record<string, unknown>>, text: string) {
  const tree: Tree = { folders: new Map(), collector: new PackageCollector(), problems: [] };
  collect(packages, text, tree);
  link(tree.folders);
  const root = tree.folders.get('');
  for (const [path, folder] of tree.folders) {
    if (folder.draft !== undefined && folder.entry !== undefined) {
      connect(folder.draft, idsNeeded(folder, folder.entry));
    } else if (root?.entry !== undefined && isOwnFolder(path)) markDirect(folder);
  }
  return { packages: tree.collector.packages(), problems: tree.problems };
}

function collect(
  packages: Readonly<Record<string, unknown>>,
  text: string,
  { folders, collector, problems }: Tree,
): void {
  const lines = entryLines(text, Math.max(0, text.indexOf('"packages"')));
  const direct = isEntry(packages['']) ? false : undefined;
  for (const path of Object.keys(packages)) {
    const entry = packages[path];
    const line = lines.next(path, () => ['packages', path]);
    const fault = faultOf(entry);
    if (fault !== undefined || !isEntry(entry)) {
      problems.push({ line, message: `"${path}" ${fault}` });
      continue;
    }
    const isTarget = isOwnFolder(path) || entry.link === true;
    const found = isTarget ? undefined : readEntry({ entry, folder: folderName(path), line, direct });
    if (typeof found === 'string') problems.push({ line, message: `"${path}": ${found}` });
    const draft = typeof found === 'object' ? collector.add(found) : undefined;
    folders.set(path, { entry, draft, parent: undefined, children: undefined });
  }
  if (!folders.has(''))
    folders.set('', { entry: undefined, draft: undefined, parent: undefined, children: undefined });
}

/** The root, workspace members and other folders outside `node_modules` are the target itself. */
function isOwnFolder(path: string): boolean {
  return !path.startsWith(NODE_MODULES) && !path.includes(`/${NODE_MODULES}`);
}

function folderName(path: string): string {
  return path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length);
}

/** Hangs every folder under the one whose `node_modules` it is in. */
function link(folders: Map<string, Folder>): void {
  for (const [path, folder] of folders) {
    if (path === '') continue;
    const at = path.lastIndexOf(NODE_MODULES);
    const parent = at < 0 ? folders.get('') : nearest(folders, path.slice(0, at));
    if (parent === undefined) continue;
    folder.parent = parent;
    if (at < 0) continue;
    parent.children ??= new Map();
    parent.children.set(path.slice(at + NODE_MODULES.length), folder);
  }
}

/** The folder at a path such as `packages/a/`, or, where the file has no entry for it, the one above. */
function nearest(folders: Map<string, Folder>, path: string): Folder | undefined {
  const own = folders.get(path.endsWith('/') ? path.slice(0, -1) : path);
  if (own !== undefined) return own;
  const at = path.lastIndexOf(NODE_MODULES);
  return at < 0 ? folders.get('') : nearest(folders, path.slice(0, at));
}

/** What Node would load for a name: the nearest `node_modules` on the way up. */
function find(name: string, from: Folder): Folder | undefined {
  for (let folder: Folder | undefined = from; folder !== undefined; folder = folder.parent) {
    const found = folder.children?.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function markDirect(folder: Folder): void {
  if (folder.entry === undefined || textField(folder.entry, 'resolved') !== undefined) return;
  eachNeeded(folder, folder.entry, OWN_DEPENDENCIES, (draft) => {
    draft.direct = true;
  });
}

function idsNeeded(folder: Folder, entry: Entry): string[] {
  const ids: string[] = [];
  eachNeeded(folder, entry, DEPENDENCIES, ({ id }) => {
    // A name may stand in two lists; the lists are short.
    if (!ids.includes(id)) ids.push(id);
  });
  return ids;
}

/** Visits the packages that the names in an entry's lists lead to. */
function eachNeeded(
  folder: Folder,
  entry: Entry,
  fields: readonly (typeof OWN_DEPENDENCIES)[number][],
  visit: (draft: PackageDraft) => void,
): void {
  for (const field of fields) {
    if (entry[field] === undefined) continue;
    for (const name of keysOf(entry, field)) {
      // Optional and peer dependencies need not be installed; a dependency on the target's own folders is no edge.
      const draft = find(name, folder)?.draft;
      if (draft !== undefined) visit(draft);
    }
  }
}
