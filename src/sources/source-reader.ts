import { join, relative, sep } from 'node:path';
import ignore from 'ignore';
import { readFile } from '../files/read-file.ts';
import type { HttpClient } from '../http/client.ts';
import { readCompanions } from '../lockfiles/companions.ts';
import { type DiscoveredLockfile, discoverLockfiles } from '../lockfiles/discover.ts';
import { payloadPath, unreadError } from '../lockfiles/payload-file.ts';
import { RAISE_LIMIT } from '../lockfiles/read-as.ts';
import { CodedError } from '../model/errors.ts';
import { createMasker } from '../model/secret.ts';
import { timeLimit } from '../model/time-limit.ts';
import type { SourceFile, SourceReading, SourceRevision, TargetSource } from '../model/watch/source.ts';
import { addressOf } from '../model/watch/source-address.ts';
import type { CredentialsByName } from './credentials.ts';
import { SourceError } from './errors.ts';
import { trackedFiles } from './git/local-repository.ts';
import { type RepositoryAccess, readRepository } from './git/read-repository.ts';
import { matchPaths } from './match-paths.ts';
import { readUrl } from './read-url.ts';
import type { PutContent, ReadingLimits } from './stored-files.ts';
import { asSourceError, putWithin, requireFew, requireFiles } from './stored-files.ts';

export interface SourceReaderOptions extends RepositoryAccess {
  /** Stores the contents of lockfiles. */
  readonly put: PutContent;
  /** Limits size and time of answers, and checks addresses. */
  readonly http: HttpClient;
  readonly limits: ReadingLimits;
  /** Time limit of one reading. */
  readonly timeoutMs: number;
}

/**
 * Reads the lockfiles of one target and stores their contents. Resolves to `unchanged` when the source says that it still is
 * the `known` revision. Throws `SourceError`; errors without a code are faults of Lockhound.
 */
type ReadSource = (
  source: TargetSource,
  known: SourceRevision | undefined,
  signal: AbortSignal,
) => Promise<SourceReading | 'unchanged'>;

/** Reads sources of all kinds. What is stored already needs no source: the fleet reads it by itself. */
export function createSourceReader(options: SourceReaderOptions): ReadSource {
  const { timeoutMs } = options;
  return async (source, known, signal) => {
    const what = addressOf(source);
    const limit = timeLimit(timeoutMs, signal);
    try {
      return await readKind(options, source, known, limit.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (limit.isOver()) {
        const message = `${what}: was not read within ${Math.round(timeoutMs / 1_000)} s (watch.timeout)`;
        throw new SourceError('timed-out', message, { retryable: true });
      }
      throw masked(options.credentials, asSourceError(what, error));
    } finally {
      limit.release();
    }
  };
}

async function readKind(
  options: SourceReaderOptions,
  source: TargetSource,
  known: SourceRevision | undefined,
  signal: AbortSignal,
): Promise<SourceReading | 'unchanged'> {
  const { limits } = options;
  const put = putWithin(options.put, addressOf(source), limits);
  const own = { ...options, put, signal };
  switch (source.kind) {
    case 'path':
      return await readPath(source.path, { ...own, exclude: source.exclude });
    case 'paths':
      return await readPaths(source.paths, { ...own, exclude: source.exclude });
    case 'url':
      return await readUrl(source, known, own);
    case 'git':
      return await readRepository(source, known, own);
  }
}

/** The error without the credentials: servers may repeat what they were sent. */
export function masked(credentials: CredentialsByName, error: unknown): unknown {
  if (!(error instanceof SourceError)) return error;
  const secrets = [...credentials.values()].flatMap(({ secret }) => secret.known());
  const message = createMasker(secrets)(error.message);
  if (message === error.message) return error;
  return new SourceError(error.code, message, { retryable: error.retryable });
}

interface PathOptions extends Pick<RepositoryAccess, 'inherited'> {
  readonly exclude: readonly string[];
  readonly put: PutContent;
  readonly limits: ReadingLimits;
  readonly signal: AbortSignal;
}

/** Reads the lockfiles of one folder, or one lockfile. Throws `SourceError`. */
async function readPath(path: string, options: PathOptions): Promise<SourceReading> {
  return requireFiles(path, { files: await filesBelow(path, '', options) });
}

/** Reads the lockfiles of all matches as those of one target. Their paths begin at the folder that the matches share. */
async function readPaths(patterns: readonly string[], options: PathOptions): Promise<SourceReading> {
  const what = patterns.join(', ');
  const { base, matches } = await matchPaths(patterns, options.signal);
  if (matches.length === 0) throw new SourceError('not-found', `${what}: nothing matches on this worker`);
  const files = new Map<string, SourceFile>();
  for (const match of matches) {
    const below = relative(base, match).split(sep).join('/');
    for (const file of await filesBelow(match, below, options)) files.set(file.path, file);
    requireFew(what, files.size);
  }
  return requireFiles(what, { files: [...files.values()] });
}

/** `below`: path of the match below the root of the target; empty when it is the root. */
async function filesBelow(path: string, below: string, options: PathOptions): Promise<readonly SourceFile[]> {
  const { exclude, signal, inherited } = options;
  const tracked = (folder: string) => trackedFiles(folder, { inherited, signal });
  const excluded = exclude.length === 0 ? undefined : ignore().add([...exclude]);
  const files: SourceFile[] = [];
  for await (const found of discoverLockfiles([path], { signal, tracked })) {
    signal.throwIfAborted();
    const isFile = found.path === path;
    const placed = isFile
      ? below || found.relativePath
      : join(below, found.relativePath).split(sep).join('/');
    if (excluded?.ignores(placed.replace(/^\.\//, '')) === true) continue;
    if (isFile && found.error?.code === 'not-found') {
      throw new SourceError('not-found', found.error.message, { cause: found.error });
    }
    const { path: name, fault } = payloadPath(found.relativePath === './' && below === '' ? './' : placed);
    const read =
      fault !== undefined
        ? { unread: fault }
        : found.error === undefined
          ? await readOne(found, options)
          : { unread: unreadError(found.error) };
    files.push({ path: name, ...read });
    requireFew(path, files.length);
  }
  return files;
}

async function readOne(file: DiscoveredLockfile, { put, limits }: PathOptions) {
  try {
    const maxBytes = limits.maxLockfileBytes;
    const content = await readFile(file.path, { maxBytes, remedy: RAISE_LIMIT, within: file.within });
    const companions = [];
    for (const { name, content: own, error } of await readCompanions(file, content)) {
      companions.push(own === undefined ? { name, unread: error } : { name, ...(await put(own)) });
    }
    return { ...(await put(content)), ...(companions.length === 0 ? {} : { companions }) };
  } catch (error) {
    if (!(error instanceof CodedError) || error instanceof SourceError || error.retryable) throw error;
    return { unread: unreadError(error) };
  }
}
