import type { LockfileContent } from '../format.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { type Folder, type FolderName, isEntry, type NpmEntry } from './entry.ts';
import { createTree, findUpwards, type InstalledTree } from './installed-tree.ts';
import { readEntry } from './read-entry.ts';
import type { NpmEntries } from './read-packages.ts';

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
export function readPackagesMap({ entries, nameOf }: NpmEntries): LockfileContent {
  const builder = new LockfileBuilder();
  const tree = createTree(linkedFolders(entries), nameOf);
  const root = entries.find(({ path, isObject }) => path === '' && isObject);
  const state: Tree = { tree, builder, links: [], direct: root === undefined ? undefined : false };
  for (const entry of entries) {
    const fault = addEntry(state, entry);
    if (fault !== undefined) builder.problem(entry.line, `"${entry.path.slice(0, 500)}" ${fault}`);
  }
  tree.link();
  if (root !== undefined) addLinkedFolders(state, root);
  for (const folder of tree.packageFolders) {
    if (folder.draft !== undefined && !folder.entry.link) connect(folder.draft, idsNeeded(folder, false));
  }
  for (const folder of tree.ownFolders.values()) {
    if (folder.draft !== undefined) connect(folder.draft, idsNeeded(folder, true));
    else if (root !== undefined) markDirect(folder);
  }
  return { ...builder.content(), statesScripts: true };
}

function linkedFolders(entries: readonly NpmEntry[]): ReadonlySet<string> {
  const linked = new Set<string>();
  for (const { link, resolved } of entries) if (link && typeof resolved === 'string') linked.add(resolved);
  return linked;
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
  const draft = readEntry(entry, { folder: folder.name.text, line, direct });
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
      readEntry(entry, { folder: link.name?.text ?? '', line, direct: false }),
      line,
      target,
    );
    link.draft = linked.draft;
  }
}

/** Dependencies of the root and of members are direct. A folder with `resolved` does not belong to the target. */
function markDirect(folder: Folder): void {
  if (typeof folder.entry.resolved === 'string') return;
  for (const draft of neededBy(folder, true)) draft.direct = true;
}

function idsNeeded(folder: Folder, withDev: boolean): string[] {
  return neededBy(folder, withDev).map(idOf);
}

function idOf({ id }: PackageDraft): string {
  return id;
}

/** The packages to which the names in an entry's lists resolve, without repeats. */
function neededBy(folder: Folder, withDev: boolean): readonly PackageDraft[] {
  const found: PackageDraft[] = [];
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = folder.entry;
  addNeeded(found, dependencies, folder);
  addNeeded(found, optionalDependencies, folder);
  addNeeded(found, peerDependencies, folder);
  if (withDev) addNeeded(found, devDependencies, folder);
  return found.length > MANY ? [...new Set(found)] : found;
}

function addNeeded(found: PackageDraft[], names: readonly FolderName[], folder: Folder): void {
  // An iterator is called for each element until V8 optimizes the function fully.
  for (let index = 0; index < names.length; index += 1) {
    // Not every optional or peer dependency is installed. The target's own folders have no draft.
    const draft = findUpwards(names[index] as FolderName, folder)?.draft;
    if (draft !== undefined && (found.length > MANY || !found.includes(draft))) found.push(draft);
  }
}

/** Projects have fewer patterns. Beyond the limit all folders count as members. */
const MAX_PATTERNS = 200;

/** Returns a check for workspace members. `workspaces` is that of the root: a list of patterns or `{packages}`. */
function createMemberCheck(workspaces: unknown): (folder: string) => boolean {
  const stated: unknown = isEntry(workspaces) ? workspaces.packages : workspaces;
  const patterns = Array.isArray(stated) ? stated.filter((pattern) => typeof pattern === 'string') : [];
  // Braces, classes and extended patterns are rare and not evaluated: all folders count as members.
  if (patterns.length > MAX_PATTERNS || patterns.some((pattern) => /[{}[\]()]/.test(pattern)))
    return () => true;
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!')).map(segmentsOf);
  const unwanted = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => segmentsOf(pattern.slice(1)));
  return (folder) => {
    const path = segmentsOf(folder);
    return wanted.some((one) => matches(one, path)) && !unwanted.some((one) => matches(one, path));
  };
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

/** Matches segment by segment; `**` matches any number of segments. */
function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return wildcard(pattern, path, '**', segmentMatches);
}

function segmentMatches(pattern: string, segment: string): boolean {
  return wildcard([...pattern], [...segment], '*', (one, character) => one === '?' || one === character);
}

/** Backtracks to the last star only, so the time is at most the product of both lengths. */
function wildcard(
  pattern: readonly string[],
  subject: readonly string[],
  star: string,
  equals: (pattern: string, subject: string) => boolean,
): boolean {
  let at = 0;
  let starAt = -1;
  let resume = 0;
  for (let index = 0; index < subject.length; ) {
    const wanted = pattern[at];
    if (wanted === star) {
      starAt = at;
      at += 1;
      resume = index;
    } else if (wanted !== undefined && equals(wanted, subject[index] ?? '')) {
      at += 1;
      index += 1;
    } else if (starAt >= 0) {
      at = starAt + 1;
      resume += 1;
      index = resume;
    } else return false;
  }
  return pattern.slice(at).every((rest) => rest === star);
}
