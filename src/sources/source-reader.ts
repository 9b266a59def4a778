import type { HttpClient } from '../http/client.ts';
import { createMasker } from '../model/secret.ts';
import { timeLimit } from '../model/time-limit.ts';
import type { SourceReading, SourceRevision, TargetSource } from '../model/watch/source.ts';
import { addressOf } from '../model/watch/source-address.ts';
import type { CredentialsByName } from './credentials.ts';
import { SourceError } from './errors.ts';
import { type RepositoryAccess, readRepository } from './git/read-repository.ts';
import { readPath, readPaths } from './read-paths.ts';
import { readUrl } from './read-url.ts';
import { asSourceError, type PutContent, putWithin, type ReadingLimits } from './stored-files.ts';

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
