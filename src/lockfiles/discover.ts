import type { Dirent } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { messageOf } from '../model/errors.ts';
import { detectFormat, formatNamed, formatOfName } from './catalog.ts';
import { LockfileError } from './errors.ts';
import { unknownFormat } from './read.ts';
import { decodeText } from './syntax/decode-text.ts';

export interface DiscoverOptions {
  /** Format of every file named explicitly; otherwise detected. */
  readonly format?: string;
  readonly signal?: AbortSignal;
}

export interface DiscoveredLockfile {
  /** To open it by. */
  readonly path: string;
  /** Below the folder that was named, with forward slashes; the file's own name when it was named itself. */
  readonly relativePath: string;
  readonly format: string;
  /** The folder that was named, or the one of the file that was: nothing outside it is looked at. */
  readonly root: string;
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
 * Finds lockfiles: files as they are named, and in folders whatever has the name of a format, honouring `.gitignore`
 * and following no links. Throws `LockfileError` (`not-found`, `unknown-format`) for a path that was named itself.
 */
export async function* discoverLockfiles(
  paths: readonly string[],
  options: DiscoverOptions = {},
): AsyncGenerator<DiscoveredLockfile> {
  for (const path of paths) {
    const kind = await kindOf(path);
    if (kind === 'folder') yield* walk(path, path, [], options.signal);
    else {
      const format = await formatOfFile(path, options.format);
      yield { path, relativePath: basename(path), format, root: dirname(path) };
    }
  }
}

async function kindOf(path: string): Promise<'file' | 'folder'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    throw new LockfileError('not-found', `${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function formatOfFile(path: string, forced: string | undefined): Promise<string> {
  const format = forced === undefined ? detectFormat(path, await headOf(path)) : formatNamed(forced);
  if (format !== undefined) return format.name;
  throw new LockfileError('unknown-format', unknownFormat(path, forced));
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES) });
    return decodeHead(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
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

/** The rules of one `.gitignore`, which hold below its folder. */
interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

async function* walk(
  root: string,
  folder: string,
  inherited: readonly Rules[],
  signal: AbortSignal | undefined,
): AsyncGenerator<DiscoveredLockfile> {
  signal?.throwIfAborted();
  const entries = await entriesOf(folder);
  const rules = entries.some((entry) => entry.name === '.gitignore' && entry.isFile())
    ? [...inherited, await rulesOf(folder)]
    : inherited;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!NEVER_ENTERED.has(entry.name) && !isIgnored(`${path}${sep}`, rules))
        yield* walk(root, path, rules, signal);
    } else if (entry.isFile()) {
      const format = formatOfName(path);
      if (format === undefined || isIgnored(path, rules)) continue;
      const override = format.overriddenBy?.[entry.name];
      if (override !== undefined && entries.some(({ name }) => name === override)) continue;
      yield { path, relativePath: relative(root, path).split(sep).join('/'), format: format.name, root };
    }
  }
}

/** Sorted, so that two walks of the same tree find the same in the same order. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    throw new LockfileError('not-found', `${folder}: ${messageOf(error)}`, { cause: error });
  }
}

async function rulesOf(folder: string): Promise<Rules> {
  const text = await readFile(join(folder, '.gitignore'), 'utf8');
  return { folder, rules: ignore().add(text) };
}

/** The nearest `.gitignore` that has an opinion decides, as in git. */
function isIgnored(path: string, all: readonly Rules[]): boolean {
  for (const { folder, rules } of all.toReversed()) {
    const below = relative(folder, path).split(sep).join('/') + (path.endsWith(sep) ? '/' : '');
    const { ignored, unignored } = rules.test(below);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}
