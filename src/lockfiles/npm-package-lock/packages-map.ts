import type { Problem } from '../../model/lockfile.ts';
import { connect, PackageCollector, type PackageDraft } from '../package-collector.ts';
import { type Entry, isEntry, keysOf } from './entry.ts';
import { createTree, type Folder, findUpwards, type InstalledTree } from './installed-tree.ts';
import { entryLines } from './lines.ts';
import { readEntry } from './read-entry.ts';

const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const;
const OWN_DEPENDENCIES = [...DEPENDENCIES, 'devDependencies'] as const;

/** Reads the `packages` map of lockfileVersion 2 and 3: one entry for each folder of the installed tree. */
export function readPackagesMap(packages: Readonly<Record<string, unknown>>, text: string) {
  const collector = new PackageCollector();
  const problems: Problem[] = [];
  const tree = createTree();
  collect(packages, text, { tree, collector, problems });
  tree.link();
  for (const folder of tree.packageFolders) {
    if (folder.draft !== undefined) connect(folder.draft, idsNeeded(folder));
  }
  if (isEntry(packages[''])) for (const folder of tree.ownFolders.values()) markDirect(folder);
  return { packages: collector.packages(), problems };
}

interface Collected {
  readonly tree: InstalledTree;
  readonly collector: PackageCollector;
  readonly problems: Problem[];
}

function collect(
  packages: Readonly<Record<string, unknown>>,
  text: string,
  { tree, collector, problems }: Collected,
): void {
  const lines = entryLines(text, 'packages');
  const direct = isEntry(packages['']) ? false : undefined;
  for (const path of Object.keys(packages)) {
    const entry = packages[path];
    const line = lines.next(path, 2, () => [path]);
    if (!isEntry(entry)) {
      problems.push({ line, message: `"${path}" is not an object` });
      continue;
    }
    const folder = tree.add(path, entry);
    // Folders outside `node_modules`, and links to them, are the target itself.
    if (folder.name === undefined || entry.link === true) continue;
    const draft = readEntry(entry, { folder: folder.name, line, direct });
    if (typeof draft === 'string') problems.push({ line, message: `"${path}" ${draft}` });
    else folder.draft = collector.add(draft);
  }
}

/** A member or the root asks for its dependencies directly; an entry with `resolved` is somebody else's folder. */
function markDirect(folder: Folder): void {
  if (typeof folder.entry.resolved === 'string') return;
  eachNeeded(folder, OWN_DEPENDENCIES, (draft) => {
    draft.direct = true;
  });
}

function idsNeeded(folder: Folder): string[] {
  const ids: string[] = [];
  eachNeeded(folder, DEPENDENCIES, ({ id }) => {
    // A name may stand in two lists; the lists are short.
    if (!ids.includes(id)) ids.push(id);
  });
  return ids;
}

/** Visits the packages that the names in an entry's lists lead to. */
function eachNeeded(
  folder: Folder,
  fields: readonly (typeof OWN_DEPENDENCIES)[number][],
  visit: (draft: PackageDraft) => void,
): void {
  const entry: Entry = folder.entry;
  for (const field of fields) {
    const names = keysOf(entry[field]);
    for (const name of names) {
      // Optional and peer dependencies need not be installed; a dependency on the target's own folders is no edge.
      const draft = findUpwards(name, folder)?.draft;
      if (draft !== undefined) visit(draft);
    }
  }
}
