import type { PackageDraft } from '../packages/package-collector.ts';
import { UnknownLayout } from '../syntax/unknown-layout.ts';
import { emptyEntry, type NpmEntry } from './entry.ts';

/** A folder of the installed tree. */
export interface Folder {
  readonly entry: NpmEntry;
  /** Its name in `node_modules`; `undefined` for the target's own folders: the root and workspace members. */
  readonly name: string | undefined;
  /** Set once the package is read. */
  draft: PackageDraft | undefined;
  parent: Folder | undefined;
  /** The folders in its `node_modules`, by name. */
  children: Map<string, Folder> | undefined;
}

export type InstalledTree = ReturnType<typeof createTree>;

const NODE_MODULES = 'node_modules/';
const NESTED = '/node_modules/';

/** One segment, or a scope and a segment. A longer path is a folder inside a package. */
const PACKAGE_NAME = /^(?:@[^/]+\/)?[^/]+$/;

/** `linked`: targets of links. Those outside the target are its own folders, even inside a `node_modules`. */
export function createTree(linked: ReadonlySet<string>) {
  const packageFolders: Folder[] = [];
  const nested = new Map<string, Folder>();
  const inRoot = new Map<string, Folder>();
  const root = newFolder(emptyEntry('', 0), undefined, undefined);
  root.children = inRoot;
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
      const at = path.lastIndexOf(NODE_MODULES);
      const name = path.slice(at + NODE_MODULES.length);
      const isLinked = linked.size > 0 && path.startsWith('../') && linked.has(path);
      if (at < 0 || (at > 0 && path[at - 1] !== '/') || isLinked || !PACKAGE_NAME.test(name)) {
        const folder = newFolder(entry, undefined, path === '' ? undefined : root);
        if (path === '') folder.children = inRoot;
        addOnce(ownFolders, path, folder);
        return folder;
      }
      const folder = newFolder(entry, name, root);
      packageFolders.push(folder);
      if (at === 0) addOnce(inRoot, name, folder);
      else addOnce(nested, path, folder);
      return folder;
    },
    /** Connects nested folders with their parents. Call it once, after all folders are added. */
    link(): void {
      // The path of a parent is shorter than those of its children, so parents come first.
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
  if (folders.size === before) throw new UnknownLayout('repeated path');
}

/** Resolves a name as Node does: in the nearest `node_modules` upwards. */
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

/** The folder at a path. Creates folders without an entry, so that their children do not mix with others. */
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
  const missing = newFolder(emptyEntry('', 0), name, folder);
  folder.children.set(name, missing);
  return missing;
}
