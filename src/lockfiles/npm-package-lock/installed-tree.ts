import { objectsByText } from '../packages/objects-by-text.ts';
import { UnknownLayout } from '../syntax/unknown-layout.ts';
import { emptyEntry, type Folder, type FolderName, type NpmEntry } from './entry.ts';

/** Returns the object of a name. */
export type NameOf = (text: string) => FolderName;

export function createNames(): NameOf {
  return objectsByText((text): FolderName => ({ text, inRoot: undefined }));
}

export type InstalledTree = ReturnType<typeof createTree>;

const NODE_MODULES = 'node_modules/';
const NESTED = '/node_modules/';

/** Whether a path is one segment, or a scope and a segment. A longer path is a folder inside a package. */
function isPackageName(path: string): boolean {
  const slash = path.indexOf('/');
  if (slash < 0) return path !== '';
  return slash > 1 && slash < path.length - 1 && path.startsWith('@') && path.indexOf('/', slash + 1) < 0;
}

/** As `lastIndexOf`, which takes several times as long for the usual path, `node_modules/name`. */
function lastNodeModules(path: string): number {
  let last = path.indexOf(NODE_MODULES);
  for (let at = last; at >= 0; at = path.indexOf(NODE_MODULES, at + 1)) last = at;
  return last;
}

/** `linked`: targets of links. Those outside the target are its own folders, even inside a `node_modules`. */
export function createTree(linked: ReadonlySet<string>, nameOf: NameOf) {
  const packageFolders: Folder[] = [];
  const nested = new Map<string, Folder>();
  const root = newFolder(emptyEntry('', 0), undefined, undefined);
  const ownFolders = new Map<string, Folder>();
  return {
    packageFolders,
    /** The target's own folders by path; the root is ''. */
    ownFolders,
    /**
     * Adds the folder of an entry, such as `packages/a/node_modules/b`. Throws `UnknownLayout` for a repeated path, which a
     * parsed object cannot have.
     */
    add(entry: NpmEntry): Folder {
      const { path } = entry;
      const at = lastNodeModules(path);
      const name = path.slice(at + NODE_MODULES.length);
      const isLinked = linked.size > 0 && path.startsWith('../') && linked.has(path);
      if (at < 0 || (at > 0 && path[at - 1] !== '/') || isLinked || !isPackageName(name)) {
        const folder = newFolder(entry, undefined, path === '' ? undefined : root);
        addOnce(ownFolders, path, folder);
        return folder;
      }
      const named = nameOf(name);
      const folder = newFolder(entry, named, root);
      packageFolders.push(folder);
      if (at > 0) addOnce(nested, path, folder);
      else if (named.inRoot === undefined) named.inRoot = folder;
      else throw new UnknownLayout('repeated path');
      return folder;
    },
    /** Connects nested folders with their parents. Call it once, after all folders are added. */
    link(): void {
      // The path of a parent is shorter than those of its children, so parents come first.
      const inOrder = [...nested.values()].sort(byPathLength);
      for (const folder of inOrder) {
        const { path } = folder.entry;
        const parent = folderAt(path.slice(0, path.lastIndexOf(NESTED)));
        folder.parent = parent;
        if (folder.name !== undefined) setChild(parent, folder.name, folder);
      }
    },
  };

  /** The folder at a path. Creates folders without an entry, so that their children do not mix with others. */
  function folderAt(path: string): Folder {
    const inRoot = path.startsWith(NODE_MODULES);
    const names = (inRoot ? path.slice(NODE_MODULES.length) : path).split(NESTED);
    let folder = inRoot ? root : (ownFolders.get(names.shift() ?? '') ?? root);
    for (const name of names) folder = childOf(folder, nameOf(name));
    return folder;
  }
}

function byPathLength(left: Folder, right: Folder): number {
  return left.entry.path.length - right.entry.path.length;
}

function addOnce(folders: Map<string, Folder>, key: string, folder: Folder): void {
  const before = folders.size;
  folders.set(key, folder);
  if (folders.size === before) throw new UnknownLayout('repeated path');
}

/** Resolves a name as Node does: in the nearest `node_modules` upwards. */
export function findUpwards(name: FolderName, from: Folder): Folder | undefined {
  for (let folder = from; folder.parent !== undefined; folder = folder.parent) {
    const found = folder.children?.get(name);
    if (found !== undefined) return found;
  }
  return name.inRoot;
}

function newFolder(entry: NpmEntry, name: FolderName | undefined, parent: Folder | undefined): Folder {
  return { entry, name, draft: undefined, parent, children: undefined };
}

function childOf(folder: Folder, name: FolderName): Folder {
  const known = folder.parent === undefined ? name.inRoot : folder.children?.get(name);
  if (known !== undefined) return known;
  const missing = newFolder(emptyEntry('', 0), name, folder);
  setChild(folder, name, missing);
  return missing;
}

function setChild(folder: Folder, name: FolderName, child: Folder): void {
  if (folder.parent === undefined) name.inRoot = child;
  else {
    folder.children ??= new Map();
    folder.children.set(name, child);
  }
}
