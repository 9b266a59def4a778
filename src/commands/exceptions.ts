import { statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { inheritedEnvironment } from '../config/inherited-environment.ts';
import type { LoadedConfig } from '../config/load.ts';
import { sourceDate } from '../config/source-date.ts';
import { readCompanions } from '../lockfiles/companions.ts';
import { exceptionFile, readExceptions } from '../lockfiles/exceptions/catalog.ts';
import { createLockfileReader } from '../lockfiles/threads/lockfile-reader.ts';
import { COMMAND_INLINE } from '../lockfiles/threads/reading-limits.ts';
import { closing } from '../model/closing.ts';
import type { JudgedException } from '../model/scan/exception.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import { type ExceptionFacts, judgeExceptions } from '../policy/exceptions/judge.ts';
import { readLockfiles } from '../scan/read.ts';
import { SourceError } from '../sources/errors.ts';
import { type Git, runGit, textOf } from '../sources/git/git-process.ts';
import { openLocalRepository } from '../sources/git/local-repository.ts';
import { ScanError } from './errors.ts';
import { readLockfilePaths } from './lockfile-paths.ts';
import type { ScanProgress } from './scanning/scan-watch.ts';

interface ExceptionOptions {
  /** A folder, or one lockfile. */
  readonly path: string;
  /** Looks the packages up, as a scan does; `local`: at the bundled local service. */
  readonly lookUp: boolean;
  readonly local: boolean;
  readonly signal: AbortSignal;
  readonly progress: ScanProgress;
}

/** The facts that were read of the lockfiles; `messages` has the reasons why some were not. */
type Found = Omit<ExceptionFacts, 'now'> & { readonly messages: readonly string[] };

/** The `exceptions` command. Throws what `scanPaths` throws. */
export async function findExceptions(loaded: LoadedConfig, options: ExceptionOptions) {
  const { path, lookUp, signal } = options;
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const { messages: unread, ...found } = await (lookUp ? lookedUp : readOnly)(loaded, options);
  const lockfiles = [...found.lockfiles, ...(isFolder ? [await rootOf(path, found.lockfiles)] : [])];
  const now = Date.parse(sourceDate() ?? new Date().toISOString());
  const exceptions = judgeExceptions({ ...found, lockfiles, now });
  return { exceptions: await withHistory(isFolder ? path : dirname(path), exceptions, signal), unread };
}

/** The exceptions in the root of a folder that were not read beside a lockfile, as those of a lockfile without packages. */
async function rootOf(root: string, lockfiles: Found['lockfiles']) {
  const lockfile = { path: 'none', format: '', packages: [], problems: [] };
  const read = new Set(lockfiles.flatMap(({ exceptions = [] }) => exceptions.map(({ path }) => path)));
  const place = { path: join(root, lockfile.path), relativePath: lockfile.path, format: '', root };
  const companions = await readCompanions(place, Buffer.alloc(0));
  const others = companions.filter(({ name }) => exceptionFile(name) !== undefined && !read.has(name));
  const exceptions = await Promise.all(others.map((one) => readExceptions(one.name, one)));
  return { ...lockfile, exceptions: exceptions.flat() };
}

async function readOnly({ config }: LoadedConfig, { path, signal }: ExceptionOptions): Promise<Found> {
  const limits = config.lockfiles;
  return await closing(createLockfileReader({ threads: 1, inline: COMMAND_INLINE }), async (reader) => {
    const paths = { paths: [path], maxBytes: limits.maxBytes, signal };
    const produced = await readLockfilePaths(paths).catch((error: unknown) => {
      // A folder without a lockfile may have files of exceptions.
      if (error instanceof ScanError && error.code === 'nothing-to-scan') return [];
      throw error;
    });
    const attempt = { signal, lastAttempt: true, progress() {} };
    const { read, unread } = await readLockfiles(produced, { limits, read: reader.read }, attempt);
    const lockfiles = read.map(({ path: own, lockfile, suppressions, exceptions }) => ({
      ...{ path: own, ...lockfile, suppressions: [...suppressions], exceptions: [...exceptions] },
    }));
    return { lockfiles, complete: false, ...unreadOf(unread) };
  });
}

/** Requests for the proof of exceptions. */
const MAX_REQUESTS = 5_000;

async function lookedUp(loaded: LoadedConfig, { path, ...options }: ExceptionOptions): Promise<Found> {
  const { scanPaths } = await import('./scan.ts');
  const { report } = await scanPaths(loaded, { paths: [path], exceptionRequests: MAX_REQUESTS, ...options });
  const { lockfiles, unread } = report.inventory;
  return { ...report.verdict, lockfiles, ...unreadOf(unread) };
}

function unreadOf(unread: Inventory['unread']): Pick<Found, 'unread' | 'messages'> {
  return { unread: unread.map((one) => one.path), messages: unread.map(({ error }) => error.message) };
}

/** Files whose history is asked for. */
const MAX_FILES = 50;
const MAX_BLAME_BYTES = 33_554_432;
const TIMEOUT_MS = 30_000;

/** Adds the commit that wrote the line of each exception last. Without git it stays unknown. */
async function withHistory(
  folder: string,
  exceptions: readonly JudgedException[],
  signal: AbortSignal,
): Promise<readonly JudgedException[]> {
  const options = { inherited: inheritedEnvironment(), signal, timeoutMs: TIMEOUT_MS };
  const git = await openLocalRepository(folder, options).catch(ignoreFault);
  if (git?.root === undefined) return exceptions;
  const { root } = git;
  const byPath = new Map<string, Awaited<ReturnType<typeof blame>>>();
  for (const path of [...new Set(exceptions.map((one) => one.path))].slice(0, MAX_FILES)) {
    const place = relative(root, resolve(folder, path));
    byPath.set(path, (await blame({ ...git, folder: root }, place).catch(ignoreFault)) ?? new Map());
  }
  return exceptions.map((one) => {
    const { text = '', ...written } = byPath.get(one.path)?.get(one.line ?? 0) ?? {};
    // A line that differs from the commit is not known there.
    return text.includes(one.package ?? one.subject) ? { ...written, ...one } : one;
  });
}

/** A file that git does not have, no repository, and no git. */
function ignoreFault(error: unknown): undefined {
  if (!(error instanceof SourceError)) throw error;
}

/** The last commit of each line of a file, by its number. Throws `SourceError`. */
async function blame(git: Git, path: string) {
  const args = ['blame', '--line-porcelain', '--no-textconv', 'HEAD', '--', path];
  const output = await runGit(git, args, { read: textOf(path, MAX_BLAME_BYTES) });
  const lines = new Map<number, { readonly since: string; readonly author: string; readonly text: string }>();
  let [since, author] = ['', ''];
  // Headers, and the line after a tab.
  for (const line of output.split('\n')) {
    if (line.startsWith('author ')) author = line.slice(7);
    if (line.startsWith('author-time ')) since = new Date(Number(line.slice(12)) * 1_000).toISOString();
    if (line.startsWith('\t')) lines.set(lines.size + 1, { since, author, text: line });
  }
  return lines;
}
