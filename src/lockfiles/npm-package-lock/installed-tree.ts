import type { PackageDraft } from '../packages/package-collector.ts';
import { UnknownLayout } from '../syntax/unknown-layout.ts';
import { emptyEntry, type NpmEntry } from './npm-entry.ts';

/** A folder of the installed tree. */
export interface Folder {
  readonly entry: NpmEntry;
  /** Its name below `node_modules`; `undefined` for the target's own folders, the root and workspace members. */
  readonly name: string | undefined;
  /** The package in it, once it is read. */
  draft: PackageDraft | undefined;
  parent: Folder | undefined;
  /** What lies in its `node_modules`. */
  children: Map<string, Folder> | undefined;
}

export interface InstalledTree {
  /**
   * Adds the folder at an entry's path, such as `packages/a/node_modules/b`. Throws `UnknownLayout` for a path that was added
   * before: what has been parsed repeats none.
   */
  add(entry: NpmEntry): Folder;
  /** Hangs nested folders under their parents, in whatever order they were added. */
  link(): void;
  readonly packageFolders: readonly Folder[];
  /** The target's own folders by path; the root is ''. */
  readonly ownFolders: ReadonlyMap<string, Folder>;
}

const NODE_MODULES = 'node_modules/';
const NESTED = '/node_modules/';

/** A name is one segment, or a scope and another; anything longer is a folder within a package. */
const PACKAGE_NAME = /^(?:@[^/]+\/)?[^/]+$/;

/** `linked`: paths that links lead to. Those outside of the target are folders, wherever they lie. */
export function createTree(linked: ReadonlySet<string>): InstalledTree {
  const packageFolders: Folder[] = [];
  const nested = new Map<string, Folder>();
  const inRoot = new Map<string, Folder>();
  const root: Folder = { ...newFolder(emptyEntry('', undefined), undefined, undefined), children: inRoot };
  const ownFolders = new Map<string, Folder>();
  return {
    packageFolders,
    ownFolders,
    add(entry) {
      const { path } = entry;
      const at = path.lastIndexOf(NODE_MODULES);
      const name = path.slice(at + NODE_MODULES.length);
      const isLinked = linked.size > 0 && path.startsWith('../') && linked.has(path);
      if (at < 0 || (at > 0 && path[at - 1] !== '/') || isLinked || !PACKAGE_NAME.test(name)) {
        const folder = path === '' ? { ...root, entry } : newFolder(entry, undefined, root);
        addOnce(ownFolders, path, folder);
        return folder;
      }
      const folder = newFolder(entry, name, root);
      packageFolders.push(folder);
      if (at === 0) addOnce(inRoot, name, folder);
      else addOnce(nested, path, folder);
      return folder;
    },
    link() {
      // A parent's path is shorter than its children's: in this order every parent is in its place already.
      const inOrder = [...nested.values()].sort(
        (left, right) => left.entry.path.length - right.entry.path.length,
      );
      for (const folder of inOrder) {
        const { path } = folder.entry;
        const parent = folderAt(path.slice(0, path.lastIndexOf(NESTED)), ownFolders, root);
        folder.parent = parent;
        parent.children ??= new Map();
        parent.children.set(folder.name ?? '', folder);
      }
    },
  };
}

function addOnce(folders: Map<string, Folder>, key: string, folder: Folder): void {
  const before = folders.size;
  folders.set(key, folder);
  if (folders.size === before) throw new UnknownLayout('a path is repeated');
}

/** What Node would load for a name: the nearest `node_modules` on the way up. */
export function findUpwards(name: string, from: Folder): Folder | undefined {
  for (let folder: Folder | undefined = from; folder !== undefined; folder = folder.parent) {
    const found = folder.children?.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function newFolder(entry: NpmEntry, name: string | undefined, parent: Folder | undefined): Folder {
  return { entry, name, draft: undefined, parent, children: undefined };
}

/** The folder at a path; one that the file has no entry for is made up, so that its children keep apart from others. */
function folderAt(path: string, ownFolders: ReadonlyMap<string, Folder>, root: Folder): Folder {
  const inRoot = path.startsWith(NODE_MODULES);
  const names = (inRoot ? path.slice(NODE_MODULES.length) : path).split(NESTED);
  let folder = inRoot ? root : (ownFolders.get(names.shift() ?? '') ?? root);
  for (const name of names) folder = childOf(folder, name);
  return folder;
}

function childOf(folder: Folder, name: string): Folder {
  folder.children ??= new Map();
  const known = folder.children.get(name);
  if (known !== undefined) return known;
  const missing = newFolder(emptyEntry('', undefined), name, folder);
  folder.children.set(name, missing);
  return missing;
}
