import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { undefinedFor } from '../../model/errors.ts';
import { SourceError } from '../../sources/errors.ts';
import { type Git, runGit, textOf } from '../../sources/git/git-process.ts';
import { type LocalRepository, openLocalRepository } from '../../sources/git/local-repository.ts';
import { FixError } from './errors.ts';

/** A file of the copy that is not as in the folder it was copied from. */
export interface ChangedFile {
  /** Below the root, with forward slashes. */
  readonly path: string;
  readonly kind: 'changed' | 'new' | 'deleted';
  /** Changes with each write of the file in the copy. */
  readonly stamp: string;
}

/** A copy of the files of a folder in which commands run; what they change is read from it. */
export interface WorkingCopy {
  /** The root of the repository that has the folder, or the folder itself where none has it. */
  readonly root: string;
  readonly repository: LocalRepository | undefined;
  /** The root of the copy. */
  readonly copy: string;
  /** The folder, in the copy. */
  readonly folder: string;
  /** The changes by commands. Ignored files of the repository, and folders of installed packages, are no changes. */
  changes(): Promise<readonly ChangedFile[]>;
  /** Makes files of the copy as they were. */
  restore(files: readonly ChangedFile[]): Promise<void>;
  /** The paths that were changed in the root since the copy was made. */
  changedMeanwhile(files: readonly ChangedFile[]): Promise<readonly string[]>;
  remove(): Promise<void>;
}

const MAX_FILES = 500_000;
const MAX_LIST_BYTES = 134_217_728;
/** Files that are copied at a time. */
const AT_ONCE = 32;
/** Folders that tools fill and that no lockfile is in. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', 'target', '__pycache__']);

/** The root of the repository that has a folder, or the folder itself where none has it. Throws `FixError`, `SourceError`. */
export async function findRoot(
  folder: string,
  options: { readonly inherited: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Pick<WorkingCopy, 'root' | 'repository'>> {
  const repository = await openLocalRepository(folder, options).catch(undefinedFor(SourceError, 'not-found'));
  if (repository !== undefined && repository.root === undefined)
    throw new FixError('not-applicable', `${folder}: the repository is bare`);
  return { root: repository?.root ?? resolve(folder), repository };
}

/**
 * Copies the files of the repository that has a folder: those that git knows, and new ones that it does not ignore. Of a folder
 * outside of repositories everything is copied but installed packages. Throws `FixError`, `SourceError`.
 */
export async function openWorkingCopy(
  folder: string,
  { root, repository }: Pick<WorkingCopy, 'root' | 'repository'>,
  signal: AbortSignal,
): Promise<WorkingCopy> {
  const paths =
    repository === undefined
      ? await filesIn(root)
      : await listedBy({ ...repository, folder: root }, ['--cached', '--others']);
  if (paths.length > MAX_FILES)
    throw new FixError('not-applicable', `${root}: more than ${MAX_FILES} files; name a smaller folder`);
  const copy = await mkdtemp(join(tmpdir(), 'lockhound-fix-'));
  const remove = () => rm(copy, { recursive: true, force: true });
  try {
    const stamps = await copyAll(root, copy, paths, signal);
    return {
      root,
      repository,
      copy,
      folder: join(copy, relative(root, resolve(folder))),
      changes: () => changesIn(copy, root, stamps, repository),
      restore: (files) => restore(copy, root, files),
      async changedMeanwhile(files) {
        const known = files.filter(({ kind }) => kind !== 'new');
        const now = await Promise.all(known.map(({ path }) => stampOf(join(root, path))));
        return known.flatMap(({ path }, index) => (now[index] === stamps.get(path)?.own ? [] : path));
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The stamps of a file when it was copied. */
interface Stamps {
  readonly own: string | undefined;
  readonly copied: string | undefined;
}

/** Files that git lists in the folder of `git`, without those that it ignores. */
async function listedBy(git: Git, which: readonly string[]): Promise<readonly string[]> {
  const read = textOf(git.what, MAX_LIST_BYTES);
  const listed = await runGit(git, ['ls-files', '-z', '--exclude-standard', ...which], { read });
  return [...new Set(listed.split('\0'))].filter((path) => path !== '');
}

async function filesIn(root: string, below = '', found: string[] = []): Promise<readonly string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) await filesIn(root, path, found);
    } else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
    if (found.length > MAX_FILES) break;
  }
  return found;
}

async function copyAll(
  root: string,
  copy: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Stamps>> {
  const stamps = new Map<string, Stamps>();
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    signal.throwIfAborted();
    const part = paths.slice(start, start + AT_ONCE);
    const copied = await Promise.all(
      part.map(async (path) => {
        const own = await copyOne(root, copy, path);
        return own === undefined ? undefined : { own, copied: await stampOf(join(copy, path)) };
      }),
    );
    for (const [index, path] of part.entries()) {
      const one = copied[index];
      if (one !== undefined) stamps.set(path, one);
    }
  }
  return stamps;
}

/** Returns the stamp of the file; `undefined` for what is no file, or was deleted without a commit. */
async function copyOne(root: string, copy: string, path: string): Promise<string | undefined> {
  const [from, to] = [join(root, path), join(copy, path)];
  const stats = await lstat(from).catch(() => undefined);
  if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return undefined;
  const own = await stampOf(from);
  await mkdir(dirname(to), { recursive: true });
  if (stats.isSymbolicLink()) {
    const target = await readlink(from);
    // A link into the root must not lead a command out of the copy.
    const isInside = isAbsolute(target) && `${target}${sep}`.startsWith(`${root}${sep}`);
    await symlink(isInside ? relative(dirname(from), target) || '.' : target, to);
  } else await copyFile(from, to, constants.COPYFILE_FICLONE);
  return own;
}

async function stampOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  return stats === undefined ? undefined : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.mode}`;
}

async function changesIn(
  copy: string,
  root: string,
  stamps: ReadonlyMap<string, Stamps>,
  repository: LocalRepository | undefined,
): Promise<readonly ChangedFile[]> {
  const changed: ChangedFile[] = [];
  for (const [path, { copied }] of stamps) {
    const stamp = await stampOf(join(copy, path));
    if (stamp === copied) continue;
    if (stamp === undefined) changed.push({ path, kind: 'deleted', stamp: '' });
    else if (!(await isSame(join(copy, path), join(root, path))))
      changed.push({ path, kind: 'changed', stamp });
  }
  for (const path of await newFiles(copy, stamps, repository)) {
    const stamp = await stampOf(join(copy, path));
    if (stamp !== undefined) changed.push({ path, kind: 'new', stamp });
  }
  return changed;
}

async function isSame(left: string, right: string): Promise<boolean> {
  const [one, other] = await Promise.all([readFile(left), readFile(right).catch(() => undefined)]);
  return other !== undefined && one.equals(other);
}

/** New files that belong to the project, without the state of Yarn on this machine. Outside of repositories nothing says which do, so that none is taken. */
async function newFiles(
  copy: string,
  stamps: ReadonlyMap<string, Stamps>,
  repository: LocalRepository | undefined,
): Promise<readonly string[]> {
  if (repository === undefined) return [];
  const environment = { ...repository.environment, GIT_WORK_TREE: copy };
  const listed = await listedBy({ ...repository, folder: copy, environment }, ['--others']);
  return listed.filter(
    (path) =>
      !stamps.has(path) &&
      !path.endsWith('.yarn/install-state.gz') &&
      !path.split('/').some((part) => SKIPPED.has(part)),
  );
}

async function restore(copy: string, root: string, files: readonly ChangedFile[]): Promise<void> {
  for (const { path, kind } of files) {
    await rm(join(copy, path), { force: true });
    if (kind !== 'new') await copyOne(root, copy, path);
  }
}
