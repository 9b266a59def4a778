import { spawn } from 'node:child_process';
import { platform } from 'node:process';
import { endOf, killGroup } from '../../sources/git/git-process.ts';
import { FixError } from './errors.ts';

const MAX_TEXT = 16_384;
const LAST_LINES = 12;
/** How long the commands of one lockfile, and the check, may take. */
const LIMIT_MS = 1_800_000;

/**
 * Package managers run no scripts of packages: a version that nobody here has run yet must not run before the scan after it. They write
 * lockfiles alone where they can, and may change them although nobody watches. A check installs what it needs (`npm ci && npm test`).
 */
const SETTINGS = [
  ...['npm_config_ignore_scripts=true', 'npm_config_package_lock_only=true', 'npm_config_lockfile_only=true'],
  ...[
    'npm_config_frozen_lockfile=false',
    'YARN_ENABLE_SCRIPTS=false',
    'YARN_ENABLE_IMMUTABLE_INSTALLS=false',
  ],
].join(' ');

/**
 * Runs lines of a shell in a folder; the first that fails ends it. It has the environment of this process. Aborting the signal
 * ends it with all processes that it started; the promise then rejects with the signal's reason. Throws `FixError` where there
 * is no shell.
 * `lastLines`: the last lines that it wrote, standard output and errors together.
 */
export async function runScript(
  folder: string,
  lines: readonly string[],
  options: { readonly signal: AbortSignal; readonly isCheck?: boolean },
) {
  const { signal, isCheck = false } = options;
  if (platform === 'win32') throw new FixError('not-applicable', '--apply needs a POSIX shell (/bin/sh)');
  signal.throwIfAborted();
  const settings = isCheck ? [] : [`export ${SETTINGS}`];
  const child = spawn('/bin/sh', ['-c', ['set -e', ...settings, ...lines].join('\n')], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const add = (chunk: Buffer): void => {
    text = (text + chunk.toString('utf8')).slice(-MAX_TEXT);
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const end = (): void => killGroup(child);
  const timer = setTimeout(() => {
    add(Buffer.from(`\nended after ${LIMIT_MS / 60_000} minutes`));
    end();
  }, LIMIT_MS);
  signal.addEventListener('abort', end);
  try {
    const code = await endOf(child);
    signal.throwIfAborted();
    return { succeeded: code === 0, lastLines: text.trim().split('\n').slice(-LAST_LINES).join('\n') };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    end();
  }
}
