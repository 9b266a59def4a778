import type { JsonObject } from '../../model/json-object.ts';
import { findUpwards, newPlace, type Place, placeIn } from '../packages/installed-tree.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import type { LineNode } from '../syntax/json-lines.ts';
import { type Entry, isEntry, keysOf, LISTS, readEntry } from './entry.ts';

/** Deeper than any file system nests folders. */
const MAX_DEPTH = 250;

/** A folder of the installed tree. */
interface Folder {
  readonly path: string;
  readonly entry: Entry;
  readonly line: number | undefined;
  /** Its name in `node_modules`; empty for the target's own folders: the root and workspace members. */
  readonly name: string;
  readonly place: Place<Folder>;
  /** Set once the package is read. */
  draft: PackageDraft | undefined;
}

/** Reads the `packages` map of lockfileVersion 2 and 3: one entry for each folder of the installed tree. */
export function readPackagesMap(
  packages: JsonObject,
  lines: LineNode | undefined,
  builder: LockfileBuilder,
): void {
  const entries = Object.entries(packages);
  const root = packages[''];
  const direct = isEntry(root) ? false : undefined;
  const placeOf = createPlaces(linkedFolders(entries));
  const installed: Folder[] = [];
  const own = new Map<string, Folder>();
  for (const [path, entry] of entries) {
    const line = lines?.members?.get(path)?.line;
    const folder = folderOf(path, entry, line, placeOf);
    if (typeof folder === 'string') {
      builder.problem(line, `"${path.slice(0, 500)}" ${folder}`);
      continue;
    }
    folder.place.value = folder;
    if (folder.name === '') {
      own.set(path, folder);
      builder.own(LISTS.some((list) => keysOf(folder.entry[list]).length > 0));
      continue;
    }
    installed.push(folder);
    if (folder.entry.link === true) continue;
    const draft = readEntry(folder.entry, { folder: folder.name, line, direct });
    if (typeof draft === 'string') builder.problem(line, `"${path.slice(0, 500)}" ${draft}`);
    else folder.draft = builder.add(draft, line, path);
  }
  if (isEntry(root)) addLinkedFolders(root, installed, own, builder);
  for (const folder of installed) if (folder.entry.link !== true) connectFolder(folder, false);
  for (const folder of own.values()) connectFolder(folder, isEntry(root));
  builder.state({ statesScripts: true });
}

function linkedFolders(entries: readonly (readonly [string, unknown])[]): ReadonlySet<unknown> {
  return new Set(
    entries.flatMap(([, entry]) => (isEntry(entry) && entry.link === true ? [entry.resolved] : [])),
  );
}

/** Returns the folder of an entry, or why it cannot be read. */
function folderOf(path: string, entry: unknown, line: number | undefined, placeOf: PlaceOf): Folder | string {
  if (!isEntry(entry)) return 'is not an object';
  if (path.length > MAX_DEPTH && path.split('node_modules/').length > MAX_DEPTH) return 'nests too deep';
  return { path, entry, line, ...placeOf(path), draft: undefined };
}

type PlaceOf = (path: string) => Pick<Folder, 'name' | 'place'>;

const NODE_MODULES = 'node_modules/';
/** A segment, or a scope and a segment. A longer path is a folder inside a package. */
const PACKAGE_NAME = /^(?:[^/]+|@[^/]+\/[^/]+)$/;

/**
 * Returns a function that finds the place of a path, such as `packages/a/node_modules/b`. `linked`: targets of links. Those outside
 * the target are its own folders, even inside a `node_modules`.
 */
function createPlaces(linked: ReadonlySet<unknown>): PlaceOf {
  const root = newPlace<Folder>(undefined);
  const own = new Map<string, Place<Folder>>([['', root]]);
  const ownPlace = (path: string) => {
    const place = own.get(path) ?? newPlace(root);
    own.set(path, place);
    return place;
  };
  return (path) => {
    const at = path.lastIndexOf(NODE_MODULES);
    const name = path.slice(at + NODE_MODULES.length);
    const isLinked = path.startsWith('../') && linked.has(path);
    if (at < 0 || (at > 0 && path[at - 1] !== '/') || isLinked || !PACKAGE_NAME.test(name)) {
      return { name: '', place: ownPlace(path) };
    }
    const [folder = '', ...names] = `/${path}`.split('/node_modules/');
    return { name, place: names.reduce(placeIn, ownPlace(folder.slice(1))) };
  };
}

/** Linked folders are `file:` dependencies, packages from a path, unless they are workspace members (the target). */
function addLinkedFolders(
  root: Entry,
  installed: readonly Folder[],
  own: ReadonlyMap<string, Folder>,
  builder: LockfileBuilder,
): void {
  const isMember = createMemberCheck(root.workspaces);
  for (const link of installed) {
    const target = link.entry.resolved;
    if (link.entry.link !== true || typeof target !== 'string' || target === '' || isMember(target)) continue;
    const linked = own.get(target);
    if (linked === undefined) continue;
    const { line } = linked;
    const entry = { ...linked.entry, resolved: `file:${target}` };
    linked.draft ??= builder.add(readEntry(entry, { folder: link.name, line, direct: false }), line, target);
    link.draft = linked.draft;
  }
}

/** Connects a package, or marks the direct dependencies of a folder of the target. A folder with `resolved` is not one. */
function connectFolder(folder: Folder, mayBeTarget: boolean): void {
  const { draft, entry, name } = folder;
  if (draft !== undefined)
    connect(
      draft,
      Array.from(neededBy(folder, name === ''), ({ id }) => id),
    );
  else if (mayBeTarget && typeof entry.resolved !== 'string') {
    for (const one of neededBy(folder, true)) one.direct = true;
  }
}

/** The packages to which the names in an entry's lists resolve. Not every optional or peer dependency is installed. */
function neededBy({ entry, place }: Folder, withDev: boolean): ReadonlySet<PackageDraft> {
  const found = new Set<PackageDraft>();
  for (const list of LISTS) {
    if (list === 'devDependencies' && !withDev) continue;
    for (const name of keysOf(entry[list])) {
      const draft = findUpwards(name, place)?.draft;
      if (draft !== undefined) found.add(draft);
    }
  }
  return found;
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
