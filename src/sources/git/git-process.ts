import { type ChildProcess, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { platform } from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { SourceError, type SourceErrorCode } from '../errors.ts';

/** One repository folder, and how `git` is called in it. */
export interface Git {
  /** Name of the repository for messages. */
  readonly what: string;
  /** Folder of the bare repository. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Aborting it ends the process with all processes that it started. */
  readonly signal: AbortSignal;
  /** Size of the list of a tree in bytes. */
  readonly maxListBytes?: number;
  /** Set for a repository that the user has: nothing is fetched for it, and its memory is not limited. */
  readonly isLocal?: boolean;
}

/** How long `git` may take to end after the signal to stop. */
const KILL_AFTER_MS = 2_000;
const MAX_ERROR_BYTES = 8_192;
/**
 * The memory in KiB that each process of git may allocate for a repository of others. git keeps refs and trees in memory, and a server
 * sends as many as it likes. A repository of a million files needs a quarter of this.
 */
const MAX_KIBIBYTES = 262_144;
/**
 * Sets the limit, which the processes that git starts inherit. A system that cannot limit memory runs git without a
 * limit.
 */
const LIMITED = `ulimit -d ${MAX_KIBIBYTES} 2>/dev/null || :; exec git "$@"`;
/** The exit code of a shell for a program that does not exist. */
const NO_PROGRAM = 127;

/**
 * Runs `git` and passes its output to `read` as it arrives. No shell reads the arguments, which are never secrets. Throws
 * `SourceError` when it fails, the signal's reason when that aborts.
 */
export async function runGit<Result>(
  git: Git,
  args: readonly string[],
  io: {
    readonly input?: AsyncIterable<string> | Iterable<string>;
    readonly read: (output: Readable) => Promise<Result>;
  },
): Promise<Result> {
  git.signal.throwIfAborted();
  // A process group of its own: `git` starts helpers that must end with it.
  const [program, own] =
    git.isLocal === true || platform === 'win32' ? ['git', []] : ['/bin/sh', ['-c', LIMITED, 'git']];
  const child = spawn(program, [...own, ...args], {
    cwd: git.folder,
    env: { ...git.environment },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const abort = (): void => killGroup(child);
  git.signal.addEventListener('abort', abort);
  const errors = lastText(child.stderr);
  const ended = endOf(child);
  try {
    const [result, , code] = await Promise.all([
      io.read(child.stdout),
      writeAll(child.stdin, io.input ?? []),
      ended,
    ]);
    if (code === NO_PROGRAM) throw gitMissing(git);
    if (code !== 0) throw faultOf(git.what, await errors);
    return result;
  } catch (error) {
    git.signal.throwIfAborted();
    throw isMissing(error) ? gitMissing(git, error) : error;
  } finally {
    git.signal.removeEventListener('abort', abort);
    killGroup(child);
    await Promise.race([ended.catch(() => {}), sleep(KILL_AFTER_MS, undefined, { ref: false })]);
  }
}

/** The whole output as text, at most `maxBytes`. */
export function textOf(what: string, maxBytes: number): (output: Readable) => Promise<string> {
  return async (output) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of output as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new SourceError('too-large', `${what}: git wrote more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  };
}

/** Resolves to the exit code of a process; `null` for one that a signal ended. Rejects when it cannot be started. */
export function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** A process that ends early does not read its whole input; its exit code says why. */
async function writeAll(stdin: Writable, input: AsyncIterable<string> | Iterable<string>): Promise<void> {
  stdin.on('error', () => {});
  for await (const text of input) {
    if (stdin.destroyed) return;
    if (stdin.write(text)) continue;
    await writable(stdin);
  }
  stdin.end();
}

/** Waits until a stream has room again, or is closed. */
async function writable(stdin: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stdin.on('drain', resolve).on('close', resolve);
  await promise;
  stdin.off('drain', resolve).off('close', resolve);
}

async function lastText(stream: Readable): Promise<string> {
  let text = '';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      text = (text + chunk.toString('utf8')).slice(-MAX_ERROR_BYTES);
    }
  } catch {
    // The exit code of the process is reported.
  }
  return text;
}

/** Ends a process that has a group of its own, with all processes that it started. */
export function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It ended, and its helpers with it.
    if (code === 'ESRCH' || exitCode !== null || signalCode !== null) return;
    throw error;
  }
}

function gitMissing({ what }: Git, cause?: unknown): SourceError {
  return new SourceError('git-missing', `${what}: this worker has no program \`git\` (see PATH)`, { cause });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** The messages of `git` and of the servers that it talks to, in the order in which they are looked for. */
const FAULTS: readonly (readonly [RegExp, SourceErrorCode, string])[] = [
  [
    /out of memory|unable to (?:create thread|mmap)|cannot allocate memory/i,
    'too-large',
    'git would need too much memory for what its server sends',
  ],
  [
    /unable to update url base from redirection|requested url returned error: 3\d\d/i,
    'redirected',
    'the URL redirects; name the URL to which it leads',
  ],
  [
    /authentication failed|could not read (?:username|password)|terminal prompts disabled|returned error: 40[13]|permission denied|access denied|host key verification failed/i,
    'refused',
    'the credentials are refused, or none are given; many servers answer so for what does not exist',
  ],
  [
    /returned error: 4(?:04|10)|does not appear to be a git repository|does not exist|no such file or directory|not found/i,
    'not-found',
    'there is no such repository',
  ],
  [/couldn't find remote ref/i, 'no-such-ref', 'the ref no longer exists'],
  [/transport '[^']*' not allowed/i, 'failed', 'its transport is not allowed'],
  [
    /could not resolve host|connection (?:refused|reset|timed out)|failed to connect|operation (?:too slow|timed out)|early eof|rpc failed|returned error: (?:408|429|5\d\d)|unexpected disconnect|hung up|network is unreachable|no route to host/i,
    'unreachable',
    'its server does not answer',
  ],
];

const RETRYABLE: ReadonlySet<SourceErrorCode> = new Set(['unreachable', 'failed']);
const MAX_QUOTED = 300;

/** The error for a failed `git`, from what it wrote to standard error. */
export function faultOf(what: string, output: string): SourceError {
  const [, code = 'failed', meaning = 'git failed'] = FAULTS.find(([pattern]) => pattern.test(output)) ?? [];
  const quoted = quotedLines(output);
  return new SourceError(code, `${what}: ${meaning}${quoted === '' ? '' : ` (${quoted})`}`, {
    retryable: RETRYABLE.has(code),
  });
}

function quotedLines(output: string): string {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => /^(?:fatal|error|remote|ssh):/.test(line));
  return lines.slice(0, 3).join('; ').slice(0, MAX_QUOTED);
}

/** The variables of a git that reads no settings of the machine, asks nobody and runs nothing of a repository. */
export function isolatedGit(settings: readonly (readonly [key: string, value: string])[]) {
  return {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // A partial clone would get missing objects from its remote.
    GIT_NO_LAZY_FETCH: '1',
    GIT_LITERAL_PATHSPECS: '1',
    LC_ALL: 'C',
    ...settingVariables([
      ['core.hooksPath', devNull],
      ['core.fsmonitor', 'false'],
      ['gc.auto', '0'],
      ['maintenance.auto', 'false'],
      ...settings,
    ]),
  };
}

/** Returns the variables from which git reads settings, in their order (git-config, "Environment"). A key may be there several times. */
export function settingVariables(settings: readonly (readonly [key: string, value: string])[]) {
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
