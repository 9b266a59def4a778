import { devNull } from 'node:os';
import { join } from 'node:path';
import { type Git, runGit, settingVariables, textOf } from '../../sources/git/git-process.ts';
import { commitOf } from '../../sources/git/local-repository.ts';
import { FixError } from './errors.ts';
import type { ChangedFile, WorkingCopy } from './working-copy.ts';

interface BranchOptions {
  readonly branch: string;
  /** Whether the branch is one of another repository, so that none is made here. Its commit has an author of its own. */
  readonly isRemote?: boolean | undefined;
  readonly message: string;
  /** The variables that git needs. */
  readonly inherited: Readonly<Record<string, string>>;
}

const MAX_BYTES = 1_048_576;

/** The author of commits for other repositories. The domain is reserved: it is nobody's address. */
export const LOCKHOUND_EMAIL = 'lockhound@lockhound.invalid';

/**
 * Commits the files of the copy on a new branch from HEAD, and leaves the working tree and the index as they are. No hook runs.
 * For another repository, the same changes of the same HEAD are the same commit. Returns the id of the commit. Throws `FixError` (no repository, the branch exists, a file has changes that no commit has),
 * `SourceError`.
 */
export async function commitBranch(
  copy: WorkingCopy,
  files: readonly ChangedFile[],
  { branch, isRemote = false, message, inherited }: BranchOptions,
): Promise<string> {
  const { root, repository } = copy;
  if (repository === undefined)
    throw new FixError('not-applicable', `--branch needs a git repository, and ${root} is in none`);
  const git: Git = {
    ...repository,
    folder: root,
    environment: {
      ...inherited,
      GIT_DIR: repository.environment['GIT_DIR'] ?? '',
      GIT_WORK_TREE: root,
      GIT_INDEX_FILE: join(copy.copy, '.lockhound-index'),
      GIT_LITERAL_PATHSPECS: '1',
      ...settingVariables([['core.hooksPath', devNull]]),
      LC_ALL: 'C',
    },
  };
  const ask = async (args: readonly string[], input: readonly string[] = []) =>
    (await runGit(git, args, { input, read: textOf(root, MAX_BYTES) })).trim();
  const ref = `refs/heads/${branch}`;
  await ask(['check-ref-format', '--branch', branch]);
  if (!isRemote && (await ask(['for-each-ref', '--format=%(refname)', ref])) !== '')
    throw new FixError('not-applicable', `the branch ${branch} exists`);
  const head = await commitOf(git, 'HEAD');
  await ask(['read-tree', head]);
  const known = files.filter(({ kind }) => kind !== 'new').map(({ path }) => path);
  const unsaved =
    known.length === 0 ? '' : await ask(['diff', '--no-ext-diff', '--name-only', 'HEAD', '--', ...known]);
  const others = await copy.changedMeanwhile(files);
  if (unsaved !== '' || others.length > 0) {
    const paths = [...unsaved.split('\n'), ...others].filter(Boolean).join(', ');
    throw new FixError('changed-meanwhile', `${paths}: has changes that are not committed`);
  }
  const lines: string[] = [];
  for (const { path, kind } of files) {
    if (kind === 'deleted') lines.push(`0 ${'0'.repeat(head.length)}\t${path}\0`);
    else {
      const blob = await ask(['hash-object', '-w', `--path=${path}`, '--', join(copy.copy, path)]);
      const mode = known.includes(path) ? await modeOf(ask, head, path) : '100644';
      lines.push(`${mode} ${blob}\t${path}\0`);
    }
  }
  await ask(['update-index', '-z', '--index-info'], lines);
  const tree = await ask(['write-tree']);
  const commit = ['commit-tree', tree, '-p', head];
  if (isRemote) {
    const environment = { ...git.environment, ...authorAt(await ask(['show', '-s', '--format=%cI', head])) };
    const own = { input: [message], read: textOf(root, MAX_BYTES) };
    return (await runGit({ ...git, environment }, commit, own)).trim();
  }
  const made = await ask(commit, [message]);
  // The empty value: the branch must not exist.
  await ask(['update-ref', ref, made, '']);
  return made;
}

function authorAt(time: string): Readonly<Record<string, string>> {
  const named = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Lockhound'],
    [`GIT_${who}_EMAIL`, LOCKHOUND_EMAIL],
    [`GIT_${who}_DATE`, time],
  ]);
  return Object.fromEntries(named);
}

async function modeOf(
  ask: (args: readonly string[]) => Promise<string>,
  head: string,
  path: string,
): Promise<string> {
  return (await ask(['ls-tree', head, '--', path])).split(' ', 1)[0] || '100644';
}
