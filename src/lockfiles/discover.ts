import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { faultOf } from '../files/file-kind.ts';
import { openFile } from '../files/open-file.ts';
import { CodedError } from '../model/errors.ts';
import { detectFormat, formatNamed, formatOfName } from './catalog.ts';
import { LockfileError } from './errors.ts';
import { GITIGNORE, type IgnoreRules, isIgnored, readIgnoreRules } from './gitignore.ts';
import { unknownFormat } from './read.ts';
import { decodeText } from './syntax/decode-text.ts';

export interface DiscoverOptions {
  /** Format of every file named explicitly; otherwise detected. */
  readonly format?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where something was found. */
export interface FoundPath {
  /** To open it by. */
  readonly path: string;
  /**
   * Below the folder that was named, with forward slashes and one at the end of a folder; the file's own name when it was
   * named itself, `./` for a folder that was.
   */
  readonly relativePath: string;
}

export interface DiscoveredLockfile extends FoundPath {
  readonly format: string;
  /** The folder that was named, or the one of the file that was: no companion outside it is opened. */
  readonly root: string;
  /** The folder it was found in by its name, which it must not be a link out of; unset for a file that was named itself. */
  readonly within?: string;
  readonly error?: never;
}

/** A file or folder that cannot be read, with all that is in it. */
export interface UnreadPath extends FoundPath {
  readonly error: CodedError;
}

/** Installed packages, histories, caches and build results: never what a target locks. */
const NEVER_ENTERED: ReadonlySet<string> = new Set([
  ...['node_modules', 'bower_components', 'jspm_packages', '.yarn', '.pnpm-store', '.npm'],
  ...['.git', '.hg', '.svn', '.jj', 'vendor', 'Pods', 'target', '.gradle', '.m2', '.cargo'],
  ...['.venv', 'venv', 'site-packages', '__pycache__', '.tox', '.nox', '.mypy_cache', '.bundle'],
  ...['.terraform', '.idea', '.vscode', '.cache', '.next', '.nuxt'],
]);

const HEAD_BYTES = 4_096;

/**
 * Finds lockfiles: files as they are named, and in folders whatever has the name of a format, honouring `.gitignore` and
 * entering no link to a folder. What cannot be read is one of the results, and the search goes on.
 */
export async function* discoverLockfiles(
  paths: readonly string[],
  options: DiscoverOptions = {},
): AsyncGenerator<DiscoveredLockfile | UnreadPath> {
  for (const path of paths) {
    if (await isFolder(path)) yield* walk(path, path, [], options.signal);
    else yield await namedFile(path, options.format);
  }
}

/** What is not there is no folder; opening it says why. */
async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

async function namedFile(path: string, forced: string | undefined): Promise<DiscoveredLockfile | UnreadPath> {
  const relativePath = basename(path);
  try {
    const head = await headOf(path);
    const format = forced === undefined ? detectFormat(path, head) : formatNamed(forced);
    if (format !== undefined) return { path, relativePath, format: format.name, root: dirname(path) };
    throw new LockfileError('unknown-format', unknownFormat(path, forced));
  } catch (error) {
    return { path, relativePath, error: faultOf(path, error) };
  }
}

async function headOf(path: string): Promise<string> {
  const { handle } = await openFile(path);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(HEAD_BYTES) });
    return decodeHead(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

/** As much of a text as tells its format; what is binary tells none. */
function decodeHead(head: Buffer): string {
  try {
    return decodeText(head, '');
  } catch {
    return '';
  }
}

async function* walk(
  root: string,
  folder: string,
  inherited: readonly IgnoreRules[],
  signal: AbortSignal | undefined,
): AsyncGenerator<DiscoveredLockfile | UnreadPath> {
  signal?.throwIfAborted();
  const entries = await entriesOf(folder);
  if (entries instanceof CodedError) {
    return yield { path: folder, relativePath: `${below(root, folder) || '.'}/`, error: entries };
  }
  const own = await readIgnoreRules(root, folder, entries);
  if (own instanceof CodedError) {
    const path = join(folder, GITIGNORE);
    yield { path, relativePath: below(root, path), error: own };
  }
  const rules = own === undefined || own instanceof CodedError ? inherited : [...inherited, own];
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!NEVER_ENTERED.has(entry.name) && !isIgnored(`${path}${sep}`, rules))
        yield* walk(root, path, rules, signal);
      continue;
    }
    const format = formatOfName(path);
    if (format === undefined || isIgnored(path, rules)) continue;
    const override = format.overriddenBy?.[entry.name];
    if (override === undefined || !names.has(override)) yield* lockfileAt(root, path, entry, format.name);
  }
}

async function* lockfileAt(root: string, path: string, entry: Dirent, format: string) {
  const found = { path, relativePath: below(root, path) };
  const fault = entry.isFile() ? undefined : await faultOfLink(root, path);
  if (fault instanceof CodedError) yield { ...found, error: fault };
  else if (fault === undefined) yield { ...found, format, root, within: root };
}

function below(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

/** Sorted, so that two walks of the same tree find the same in the same order. */
async function entriesOf(folder: string): Promise<readonly Dirent[] | CodedError> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    return faultOf(folder, error);
  }
}

/**
 * Why what has the name of a lockfile and is no plain file is not read. A link to a lockfile inside the folder is nothing to
 * read twice; a link to a folder is not entered.
 */
async function faultOfLink(root: string, path: string): Promise<CodedError | 'found-elsewhere' | undefined> {
  if (await isFolder(path)) return 'found-elsewhere';
  try {
    const { handle } = await openFile(path, root);
    await handle.close();
    return formatOfName(await realpath(path)) === undefined ? undefined : 'found-elsewhere';
  } catch (error) {
    return faultOf(path, error);
  }
}
