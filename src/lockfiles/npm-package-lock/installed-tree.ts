import type { PackageDraft } from '../packages/package-collector.ts';
import type { Entry } from './entry.ts';

/** A folder of the installed tree. */
export interface Folder {
  readonly entry: Entry;
  /** Its name below `node_modules`; `undefined` for the target's own folders, the root and workspace members. */
  readonly name: string | undefined;
  /** The package in it, once it is read. */
  draft: PackageDraft | undefined;
  parent: Folder | undefined;
  /** What lies in its `node_modules`. */
  children: Map<string, Folder> | undefined;
}

export interface InstalledTree {
  /** Adds a folder by its path, such as `packages/a/node_modules/b`. */
  add(path: string, entry: Entry): Folder;
  /** Hangs nested folders under their parents, in whatever order they were added. */
  link(): void;
  readonly packageFolders: readonly Folder[];
  /** The target's own folders by path; the root is ''. */
  readonly ownFolders: ReadonlyMap<string, Folder>;
}

const NODE_MODULES = 'node_modules/';
const NESTED = '/node_modules/';

export function createTree(): InstalledTree {
  const packageFolders: Folder[] = [];
  const nested: { readonly path: string; readonly folder: Folder }[] = [];
  const root: Folder = {
    entry: {},
    name: undefined,
    draft: undefined,
    parent: undefined,
    children: new Map(),
  };
  const ownFolders = new Map<string, Folder>();
  return {
    packageFolders,
    ownFolders,
    add(path, entry) {
      const at = path.lastIndexOf(NODE_MODULES);
      if (at < 0 || (at > 0 && path[at - 1] !== '/')) {
        const folder = path === '' ? { ...root, entry } : newFolder(entry, undefined, root);
        ownFolders.set(path, folder);
        return folder;
      }
      const folder = newFolder(entry, path.slice(at + NODE_MODULES.length), root);
      packageFolders.push(folder);
      if (at === 0) root.children?.set(path.slice(NODE_MODULES.length), folder);
      else nested.push({ path: path.slice(0, at - 1), folder });
      return folder;
    },
    link() {
      // A parent's path is shorter than its children's: in this order every parent is in its place already.
      nested.sort((left, right) => left.path.length - right.path.length);
      for (const { path, folder } of nested) {
        const parent = folderAt(path, ownFolders, root);
        folder.parent = parent;
        parent.children ??= new Map();
        parent.children.set(folder.name ?? '', folder);
      }
    },
  };
}

/** What Node would load for a name: the nearest `node_modules` on the way up. */
export function findUpwards(name: string, from: Folder): Folder | undefined {
  for (let folder: Folder | undefined = from; folder !== undefined; folder = folder.parent) {
    const found = folder.children?.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function newFolder(entry: Entry, name: string | undefined, parent: Folder): Folder {
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
  const missing = newFolder({}, name, folder);
  folder.children.set(name, missing);
  return missing;
}
