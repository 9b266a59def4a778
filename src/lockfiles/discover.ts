import type { Dirent } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { codedError, FileError } from '../files/errors.ts';
import { close, read, readdir, realpath, stat } from '../files/file-system.ts';
import { openFile } from '../files/open-file.ts';
import { CodedError } from '../model/errors.ts';
import { detectFormatName, HEAD_BYTES, headText } from './detect-format.ts';
import { LockfileError } from './errors.ts';
import { GITIGNORE, type IgnoreRules, isIgnored, trailing } from './ignore-rules.ts';
import {
  formatOfName,
  LOCKED_BY,
  lockfileFormat,
  SHALLOW_FOLDERS,
  SKIPPED_FOLDERS,
  unknownFormat,
} from './known-formats.ts';

interface DiscoverOptions {
  /** Format of all files named explicitly; detected when it is not set. */
  readonly format?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * The files that git tracks below a folder, as paths relative to it; none outside a repository. Throws a `CodedError` when git
   * cannot say it. A search asks it for folders in which a `.gitignore` names something.
   */
  readonly tracked: (folder: string) => Promise<readonly string[]>;
  /** Called for each manifest in the named folders without a lockfile beside it or above it, up to the root of its repository. */
  readonly onUnlocked?: ((manifest: UnlockedManifest) => void) | undefined;
}

interface FoundPath {
  /** The path to open. */
  readonly path: string;
  /**
   * Relative to the folder that all named paths share, with forward slashes: the named folder, or that of the named file, where
   * the caller names one path. Folders end in a slash; the shared folder itself is `./`.
   */
  readonly relativePath: string;
}

/** A manifest, such as `package.json`, that no lockfile belongs to. It may name no packages. */
export interface UnlockedManifest extends FoundPath {
  readonly name: string;
  /** The folder out of which the file must not link. */
  readonly within: string;
}

export interface DiscoveredLockfile extends FoundPath {
  readonly format: string;
  /** The folder named by the caller, or that of the named file. Companions outside it are not opened. */
  readonly root: string;
  /** The folder out of which the file must not link; unset for files named explicitly. */
  readonly within?: string;
  readonly error?: never;
}

/** A file or folder that cannot be read. */
export interface UnreadPath extends FoundPath {
  readonly error: CodedError;
}

/**
 * Finds lockfiles: the named files, and in named folders all files with the name of a format. It leaves out what a `.gitignore`
 * names and git does not track, and does not follow links to folders. Unreadable paths are results, too, and do not end the search. What is named twice is found
 * once.
 */
export async function* discoverLockfiles(
  paths: readonly string[],
  options: DiscoverOptions,
): AsyncGenerator<DiscoveredLockfile | UnreadPath> {
  const named = await Promise.all(paths.map(async (path) => ({ path, isFolder: await isFolder(path) })));
  const base = sharedFolder(named.map(({ path, isFolder: own }) => resolve(own ? path : dirname(path))));
  const found = new Set<string>();
  for (const { path, isFolder: own } of named) {
    const files = own
      ? walk(await namedFolder(base, path, options), path, [], options)
      : [await namedFile(base, path, options.format)];
    const folder = own ? path : dirname(path);
    const real = await realpath(folder).catch(() => resolve(folder));
    for await (const file of files) {
      const place = join(real, relative(folder, file.path));
      if (!found.has(place)) yield file;
      found.add(place);
    }
  }
}

/** Returns the deepest folder that contains all paths. Paths are absolute. */
export function sharedFolder(paths: readonly string[]): string {
  const [first = sep, ...rest] = paths;
  let shared = first;
  for (const path of rest) {
    while (shared !== path && !path.startsWith(shared.endsWith(sep) ? shared : shared + sep)) {
      shared = dirname(shared);
    }
  }
  return shared;
}

/** Returns `false` for a missing path; opening it reports the error. */
async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

async function namedFile(
  base: string,
  path: string,
  forced: string | undefined,
): Promise<DiscoveredLockfile | UnreadPath> {
  const relativePath = below(base, path);
  try {
    const format = await detectFormatName(path, () => headOf(path), forced);
    if (format !== undefined) return { path, relativePath, format, root: dirname(path) };
    throw new LockfileError('unknown-format', unknownFormat(path, forced));
  } catch (error) {
    return { path, relativePath, error: codedError(path, error) };
  }
}

async function headOf(path: string): Promise<string> {
  const { descriptor } = await openFile(path);
  try {
    const { buffer, bytesRead } = await read(descriptor, Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, null);
    return headText(buffer.subarray(0, bytesRead));
  } finally {
    await close(descriptor);
  }
}

/** A named folder, and the folder that it shares with the other named paths. */
interface Named {
  readonly base: string;
  readonly root: string;
  /** Says it of a file, and of a folder (`/` at its end) with a tracked lockfile. A `CodedError`: git cannot say it. */
  readonly isTracked: (path: string) => Promise<boolean | CodedError>;
  /** The formats of the lockfiles in the folders above. */
  readonly locked: ReadonlySet<string>;
}

async function namedFolder(base: string, root: string, options: DiscoverOptions): Promise<Named> {
  const locked = options.onUnlocked === undefined ? [] : await formatsAbove(resolve(root));
  return { base, root, isTracked: trackedBelow(root, options), locked: new Set(locked) };
}

/** The formats of the lockfiles above a folder, up to the root of its repository; none outside a repository. */
async function formatsAbove(folder: string): Promise<readonly string[]> {
  const formats: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const entries = await entriesOf(at);
    if (entries instanceof CodedError) return [];
    const names = new Set(entries.map(({ name }) => name));
    if (at !== folder)
      for (const name of names) formats.push(lockfileFormat(join(at, name), names)?.name ?? '');
    if (names.has('.git')) return formats;
    if (dirname(at) === at) return [];
  }
}

/** Git is asked once for each repository, and only where a `.gitignore` names something. */
function trackedBelow(folder: string, { tracked }: DiscoverOptions): Named['isTracked'] {
  let listed: Promise<ReadonlySet<string> | CodedError> | undefined;
  return async (path) => {
    listed ??= tracked(folder).then(withFolders, (error: unknown) => codedError(folder, error));
    const known = await listed;
    return known instanceof CodedError ? known : known.has(below(folder, path) + trailing(path));
  };
}

function withFolders(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths.filter((one) => formatOfName(one) !== undefined)) {
    found.add(path);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      found.add(path.slice(0, end + 1));
    }
  }
  return found;
}

async function* walk(
  named: Named,
  folder: string,
  inherited: readonly IgnoreRules[],
  options: DiscoverOptions,
  isShallow = false,
): AsyncGenerator<DiscoveredLockfile | UnreadPath> {
  options.signal?.throwIfAborted();
  const { base, root } = named;
  const entries = await entriesOf(folder);
  if (entries instanceof CodedError) {
    return yield { path: folder, relativePath: `${below(base, folder) || '.'}/`, error: entries };
  }
  const own = await ownRules(root, folder, entries);
  if (own instanceof CodedError) {
    const path = join(folder, GITIGNORE);
    yield { path, relativePath: below(base, path), error: own };
  }
  const rules = own === undefined || own instanceof CodedError ? inherited : [...inherited, own];
  const isTracked = isRepositoryInside(root, folder, entries)
    ? trackedBelow(folder, options)
    : named.isTracked;
  const lockfiles = await lockfilesAmong({ ...named, isTracked }, folder, entries, rules);
  const here = { ...named, isTracked, locked: new Set([...named.locked, ...formatsRead(lockfiles)]) };
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const lockfile = lockfiles.get(entry.name);
    if (entry.isDirectory()) {
      if (!isShallow && (await isSearched(here, path, rules))) {
        yield* walk(here, path, rules, options, SKIPPED_FOLDERS.has(entry.name));
      }
    } else if (lockfile !== undefined) yield* lockfileAt(named, path, entry, lockfile);
    else if (!isShallow && isUnlocked(here, path, entry, rules)) {
      options.onUnlocked?.({ path, relativePath: below(base, path), name: entry.name, within: root });
    }
  }
}

/** A submodule, or another repository inside the named folder. */
function isRepositoryInside(root: string, folder: string, entries: readonly Dirent[]): boolean {
  return folder !== root && entries.some(({ name }) => name === '.git');
}

async function isSearched(named: Named, folder: string, rules: readonly IgnoreRules[]): Promise<boolean> {
  const name = basename(folder);
  if (SKIPPED_FOLDERS.has(name) && !SHALLOW_FOLDERS.has(name)) return false;
  return (await isLeftOut(named, `${folder}${sep}`, rules)) !== true;
}

/** A file with the name of a lockfile. `leftOut`: see `isLeftOut`. */
interface Candidate {
  readonly format: string;
  readonly leftOut: boolean | CodedError;
}

/** The candidates of a folder by name. */
async function lockfilesAmong(
  named: Named,
  folder: string,
  entries: readonly Dirent[],
  rules: readonly IgnoreRules[],
): Promise<ReadonlyMap<string, Candidate>> {
  const names = new Set(entries.map(({ name }) => name));
  const found = new Map<string, Candidate>();
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const format = entry.isDirectory() ? undefined : lockfileFormat(path, names);
    if (format === undefined) continue;
    found.set(entry.name, { format: format.name, leftOut: await isLeftOut(named, path, rules) });
  }
  return found;
}

function formatsRead(lockfiles: ReadonlyMap<string, Candidate>): readonly string[] {
  return [...lockfiles.values()].flatMap(({ format, leftOut }) => (leftOut === true ? [] : format));
}

function isUnlocked({ locked }: Named, path: string, entry: Dirent, rules: readonly IgnoreRules[]): boolean {
  const formats = entry.isFile() ? LOCKED_BY.get(entry.name) : undefined;
  return formats !== undefined && !formats.some((one) => locked.has(one)) && !isIgnored(path, rules);
}

/** The parser of the rules is loaded for the first folder that has some. */
async function ownRules(root: string, folder: string, entries: readonly Dirent[]) {
  if (!entries.some(({ name }) => name === GITIGNORE)) return undefined;
  const { readIgnoreRules } = await import('./gitignore.ts');
  return await readIgnoreRules(root, folder, entries);
}

async function* lockfileAt(named: Named, path: string, entry: Dirent, { format, leftOut }: Candidate) {
  const { base, root } = named;
  const found = { path, relativePath: below(base, path) };
  const fault = leftOut === false && !entry.isFile() ? await checkLink(root, path) : leftOut;
  if (fault instanceof CodedError) yield { ...found, error: fault };
  else if (fault === false || fault === undefined) yield { ...found, format, root, within: root };
}

/** A `CodedError`: git cannot say whether it tracks what a `.gitignore` names. */
async function isLeftOut(
  { isTracked }: Named,
  path: string,
  rules: readonly IgnoreRules[],
): Promise<boolean | CodedError> {
  if (!isIgnored(path, rules)) return false;
  const known = await isTracked(path);
  if (!(known instanceof CodedError)) return !known;
  const what = `a ${GITIGNORE} names it, and whether git tracks it is not known`;
  return new FileError('unreadable', `${path}: ${what}: ${known.message} [${known.code}]`);
}

function below(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

/** Sorted, so that the order of results does not depend on the file system. */
async function entriesOf(folder: string): Promise<readonly Dirent[] | CodedError> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    return codedError(folder, error);
  }
}

/**
 * Checks a path that is not a regular file. Returns why it cannot be read, or `found-elsewhere` for a link to a folder or to
 * another lockfile in the root, which the search finds under its own name.
 */
async function checkLink(root: string, path: string): Promise<CodedError | 'found-elsewhere' | undefined> {
  if (await isFolder(path)) return 'found-elsewhere';
  try {
    const { descriptor } = await openFile(path, root);
    await close(descriptor);
    return formatOfName(await realpath(path)) === undefined ? undefined : 'found-elsewhere';
  } catch (error) {
    return codedError(path, error);
  }
}
