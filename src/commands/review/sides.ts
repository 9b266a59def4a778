import { realpathSync, statSync } from 'node:fs';
import { posix, relative, resolve, sep } from 'node:path';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import type { ProducedLockfile } from '../../scan/read.ts';
import { commitOf, openLocalRepository } from '../../sources/git/local-repository.ts';
import { readLockfilePaths } from '../lockfile-paths.ts';
import { ReviewError } from './errors.ts';
import { readGitLockfiles } from './git-lockfiles.ts';

export interface SideOptions {
  /** A file, a folder, or `<ref>:<path>` of the repository of the current folder. */
  readonly text: string;
  readonly format?: string | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The lockfiles of one side of a comparison. */
export interface Side {
  /** Relative to the folder that was named. */
  readonly lockfiles: readonly ProducedLockfile[];
  /** Set when a single file was named: it is compared with that of the other side, whatever its name. */
  readonly isFile: boolean;
}

/** Reads one side. Throws `ReviewError`, `ScanError` (`nothing-to-scan`), `SourceError`. */
export async function readSide(options: SideOptions): Promise<Side> {
  const { text, format, maxBytes, signal } = options;
  const [, ref, path] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  const stats = statSync(text, { throwIfNoEntry: false });
  if (ref !== undefined && path !== undefined && !/^(?:[a-z]|\.{1,2}[\\/].*)$/is.test(ref)) {
    if (stats === undefined) return await readRevision(ref, path, options);
    const advice = `write ./${text} for the file`;
    throw new ReviewError('ambiguous', `${text}: is a file and may be a path of a git revision; ${advice}`);
  }
  if (stats === undefined) {
    const advice = `write ${text}: for the lockfiles of a git revision`;
    throw new ReviewError('no-such-side', `${text}: no such file or folder; ${advice}`);
  }
  const lockfiles = await readLockfilePaths({ paths: [text], format, maxBytes, signal });
  return { lockfiles, isFile: !stats.isDirectory() };
}

async function readRevision(
  ref: string,
  path: string,
  { text, format, maxBytes, signal }: SideOptions,
): Promise<Side> {
  const repository = await openLocalRepository('.', { inherited: inheritedEnvironment(), signal });
  const commit = await commitOf(repository, ref);
  const below = pathInRepository(repository.root, path);
  const files = await readGitLockfiles(repository, commit, {
    paths: below === '' ? [] : [below],
    format,
    maxBytes,
  });
  if (files.length === 0) throw new ReviewError('nothing-to-compare', `${text}: there is no lockfile`);
  if (files.length === 1 && files[0]?.path === below) {
    return { lockfiles: [{ ...files[0], path: posix.basename(below) }], isFile: true };
  }
  const start = below === '' ? 0 : below.length + 1;
  return { lockfiles: files.map((file) => ({ ...file, path: file.path.slice(start) })), isFile: false };
}

/** As git reads it: below the root of the repository, or with `./` below the current folder. */
function pathInRepository(root: string | undefined, path: string): string {
  const isRelative = /^\.{1,2}(?:\/|$)/.test(path);
  const whole =
    isRelative && root !== undefined
      ? relative(realpathSync(root), resolve(realpathSync('.'), path))
          .split(sep)
          .join('/')
      : posix.normalize(path === '' ? '.' : path);
  const plain = whole.replace(/^\.\/?$/, '').replace(/(?<!\/)\/+$/, '');
  if (plain === '..' || plain.startsWith('../') || posix.isAbsolute(plain)) {
    throw new ReviewError('no-such-side', `${path}: is not a path in the repository`);
  }
  return plain;
}
