import { CodedError } from '../model/errors.ts';
import type { SourceReading } from '../model/watch/source.ts';
import { SourceError } from './errors.ts';

/** Stores a content under its hash. Throws a coded error when it is too large. */
export type PutContent = (content: Buffer) => Promise<{ readonly sha256: string; readonly bytes: number }>;

export interface ReadingLimits {
  /** Size of one lockfile in bytes. */
  readonly maxLockfileBytes: number;
  /** Size of all files of one source in bytes. */
  readonly maxTotalBytes: number;
  /** Size of the list of all files of a repository in bytes. Default: that of two million files. */
  readonly maxListBytes?: number;
}

/** Lockfiles that one scan may have (`ingest-lockfiles`). */
const MAX_LOCKFILES = 10_000;

/** Stores the contents of one source up to a total size. Throws `SourceError` (`too-large`) beyond it. */
export function putWithin(put: PutContent, what: string, { maxTotalBytes }: ReadingLimits): PutContent {
  let total = 0;
  return async (content) => {
    total += content.length;
    if (total > maxTotalBytes) {
      throw new SourceError(
        'too-large',
        `${what}: its lockfiles and their companions exceed ${maxTotalBytes} bytes; leave some out with \`exclude\``,
      );
    }
    return await put(content);
  };
}

/** Refuses a source whose lockfiles do not fit into one scan. */
export function requireFew(what: string, count: number): void {
  if (count <= MAX_LOCKFILES) return;
  throw new SourceError(
    'too-large',
    `${what}: it has more than ${MAX_LOCKFILES} lockfiles; leave some out with \`exclude\`, or name its parts as sources`,
  );
}

/** The reading of a source, which has at least one lockfile that can be read. Throws `SourceError`. */
export function requireFiles(what: string, reading: SourceReading): SourceReading {
  const { files } = reading;
  const [first] = files;
  if (first === undefined) throw new SourceError('no-lockfiles', `${what}: there is no lockfile in it`);
  if (files.some((one) => 'sha256' in one)) return reading;
  const reason = 'unread' in first ? first.unread.message : '';
  const others = files.length === 1 ? '' : ` (and ${files.length - 1} more)`;
  throw new SourceError('unreadable', `${what}: none of its lockfiles can be read: ${reason}${others}`);
}

/** The error as one of sources. Returns errors without a code unchanged: they are faults of Lockhound. */
export function asSourceError(what: string, error: unknown): unknown {
  if (!(error instanceof CodedError) || error instanceof SourceError) return error;
  return new SourceError('failed', `${what}: ${error.message}`, { cause: error, retryable: error.retryable });
}
