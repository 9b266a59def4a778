import { devNull } from 'node:os';
import { messageOf } from '../../model/errors.ts';
import { createMasker, type Secret } from '../../model/secret.ts';
import { runGit, settingVariables, textOf } from '../../sources/git/git-process.ts';
import { CiError } from './errors.ts';

export interface Push {
  /** The repository that has the commit. */
  readonly folder: string;
  readonly commit: string;
  readonly branch: string;
  /** The commit that the branch has there; absent: there is no such branch. */
  readonly expected: string | undefined;
  readonly url: string;
  /** The part of the address that gets the token. */
  readonly serverUrl: string;
  readonly token: Secret;
  /** The variables that git needs. */
  readonly inherited: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 1_048_576;

/**
 * Pushes a commit to a branch of a remote repository, unless that has another commit than the expected one. The token is in the
 * environment of git, and in no argument; no hook runs, and no redirection is followed. Throws `CiError` (`push-refused`).
 */
export async function pushBranch(push: Push): Promise<void> {
  const { folder, commit, branch, expected = '', url, signal } = push;
  const ref = `refs/heads/${branch}`;
  const git = { what: url, folder, environment: environmentOf(push), signal, isLocal: true };
  const args = [
    ...['push', '--quiet', '--no-verify', '--no-follow-tags', '--no-signed', '--recurse-submodules=no'],
    ...[`--force-with-lease=${ref}:${expected}`, '--', url, `${commit}:${ref}`],
  ];
  try {
    await runGit(git, args, { read: textOf(url, MAX_BYTES) });
  } catch (error) {
    signal.throwIfAborted();
    const mask = createMasker([push.token.reveal()]);
    throw new CiError('push-refused', mask(`${branch} was not pushed: ${messageOf(error)}`));
  }
}

function environmentOf({ serverUrl, token, inherited }: Push): Readonly<Record<string, string>> {
  const credentials = Buffer.from(`x-access-token:${token.reveal()}`).toString('base64');
  const header = `http.${serverUrl}/.extraHeader`;
  const settings = [
    ['safe.directory', '*'],
    ['core.hooksPath', devNull],
    ['credential.helper', ''],
    ['http.followRedirects', 'false'],
    // The empty one removes that of the checkout: two are refused.
    [header, ''],
    [header, `Authorization: Basic ${credentials}`],
  ] as const;
  return {
    ...inherited,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'http:https',
    LC_ALL: 'C',
    ...settingVariables(settings),
  };
}
