import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SourceError } from '../errors.ts';
import { type Git, isolatedGit, runGit, textOf } from './git-process.ts';

interface LocalOptions {
  /** Time in ms after which reading ends with an error. Default: five minutes. */
  readonly timeoutMs?: number;
  /** Variables that git needs: PATH, HOME. */
  readonly inherited: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A repository on this machine, from which only objects are read. */
export interface LocalRepository extends Git {
  /** The folder of its files; absent in a bare repository. */
  readonly root?: string;
}

/** Reading the objects of a large repository takes seconds. */
const TIMEOUT_MS = 300_000;
const MAX_BYTES = 65_536;
const MAX_REF_CHARACTERS = 255;
/** A hundred thousand branches. */
const MAX_REFS_BYTES = 16_777_216;
/** The paths of some million files. */
const MAX_INDEX_BYTES = 268_435_456;

/**
 * Finds the repository that contains a folder. Nothing of it is executed: no hooks, no configured programs, no requests to its
 * remotes. Throws `SourceError`.
 */
export async function openLocalRepository(
  folder: string,
  { inherited, signal, timeoutMs = TIMEOUT_MS }: LocalOptions,
): Promise<LocalRepository> {
  const limited = AbortSignal.any([signal, deadline(folder, timeoutMs)]);
  const environment = localEnvironment(inherited);
  const git: Git = { what: folder, folder, environment, signal: limited, isLocal: true };
  const asked = ['rev-parse', '--show-cdup', '--is-inside-work-tree', '--absolute-git-dir'];
  const known = await lineOf(git, asked).catch((error: unknown) => {
    if (isOtherFault(error)) throw error;
    throw new SourceError('not-found', `${resolve(folder)}: is not in a git repository`, { cause: error });
  });
  const [, up = '', isInside, gitFolder = ''] = /^(.*?)\n?(true|false)\n(.*)$/s.exec(known) ?? [];
  const root = isInside === 'true' ? resolve(await realpath(folder), up) : undefined;
  return {
    ...git,
    environment: { ...environment, GIT_DIR: gitFolder },
    ...(root === undefined ? {} : { root }),
  };
}

function deadline(folder: string, timeoutMs: number): AbortSignal {
  const controller = new AbortController();
  const late = new SourceError('timed-out', `${folder}: git did not read it within ${timeoutMs / 1_000} s`);
  setTimeout(() => controller.abort(late), timeoutMs).unref();
  return controller.signal;
}

/** The commit that a branch, a tag or an expression such as `HEAD~2` names. Throws `SourceError` (`no-such-ref`). */
export async function commitOf(git: Git, ref: string): Promise<string> {
  requirePlain(ref);
  try {
    return await lineOf(git, ['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`]);
  } catch (error) {
    throw isOtherFault(error) ? error : noSuchRef(`there is no commit "${ref}" in this repository`, error);
  }
}

/** The branches with their commits: those of the repository, and others that it knows of its remote `origin`. Throws `SourceError`. */
export async function branchesOf(git: Git): Promise<ReadonlyMap<string, string>> {
  const format = '--format=%(if)%(symref)%(then)%(else)%(objectname) %(refname)%(end)';
  const args = ['for-each-ref', format, 'refs/remotes/origin/', 'refs/heads/'];
  const text = await runGit(git, args, { read: textOf(git.what, MAX_REFS_BYTES) });
  const found = [...text.matchAll(/^(\w+) refs\/(?:heads|remotes\/origin)\/(.+)$/gm)];
  // Those of the repository come first in the output of git, and count.
  return new Map(found.reverse().map(([, commit = '', name = '']) => [name, commit]));
}

/**
 * The files below a folder that are in the index of its repository, as paths relative to it; none outside a repository. Throws
 * `SourceError`.
 */
export async function trackedFiles(
  folder: string,
  { inherited, signal, timeoutMs = TIMEOUT_MS }: LocalOptions,
): Promise<readonly string[]> {
  if (!hasRepository(await realpath(folder))) return [];
  const limited = AbortSignal.any([signal, deadline(folder, timeoutMs)]);
  const environment = localEnvironment(inherited);
  const git: Git = { what: folder, folder, environment, signal: limited, isLocal: true };
  const text = await runGit(git, ['ls-files', '-z'], { read: textOf(folder, MAX_INDEX_BYTES) });
  return text.split('\0').slice(0, -1);
}

function hasRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const parent = dirname(folder);
  return parent !== folder && hasRepository(parent);
}

/** Whether the repository is a shallow clone, which lacks earlier commits. Throws `SourceError`. */
export async function isShallow(git: Git): Promise<boolean> {
  return (await lineOf(git, ['rev-parse', '--is-shallow-repository'])) === 'true';
}

/** The newest commit that is in the history of both. Throws `SourceError` (`no-such-ref`). */
export async function mergeBase(git: Git, left: string, right: string): Promise<string> {
  try {
    return await lineOf(git, ['merge-base', left, right]);
  } catch (error) {
    const both = `${left.slice(0, 12)} and ${right.slice(0, 12)}`;
    throw isOtherFault(error) ? error : noSuchRef(`${both} have no common history in this repository`, error);
  }
}

function noSuchRef(what: string, cause: unknown): SourceError {
  const advice = 'a shallow clone has only a part of the history: fetch the commit first (`git fetch`)';
  return new SourceError('no-such-ref', `${what}; ${advice}`, { cause });
}

/** A fault that does not come from the ref: `git` is missing, there is no repository, the time is over. */
function isOtherFault(error: unknown): boolean {
  return !(error instanceof SourceError) || error.code !== 'failed';
}

/** Refs come from the command line or from a host of repositories: none may be an option, a range, or a path. */
function requirePlain(ref: string): void {
  const isPlain = /^[^\s\p{C}:?*[\\-][^\s\p{C}:?*[\\]*$/u.test(ref) && !ref.includes('..');
  if (isPlain && ref.length <= MAX_REF_CHARACTERS) return;
  throw new SourceError('no-such-ref', `${JSON.stringify(ref.slice(0, 100))} is not the name of a commit`);
}

async function lineOf(git: Git, args: readonly string[]): Promise<string> {
  return (await runGit(git, args, { read: textOf(git.what, MAX_BYTES) })).replace(/\n$/, '');
}

function localEnvironment(inherited: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    ...inherited,
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    // The owner of a folder often differs in containers. Nothing in the repository is executed.
    ...isolatedGit([['safe.directory', '*']]),
  };
}
