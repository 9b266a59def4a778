import { TARGET_FILE } from '../../lockfiles/companions.ts';
import type { Companion } from '../../lockfiles/format.ts';
import { checkSize } from '../../lockfiles/read-as.ts';
import { repeatedSboms } from '../../lockfiles/sbom/repeated-sbom.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import type { Lockfile } from '../../model/lockfile/lockfile.ts';
import type { UnreadError, UnreadLockfile } from '../../model/scan/inventory.ts';
import type { Suppression } from '../../model/scan/suppression.ts';
import { JobError } from '../errors.ts';
import type { RunContext } from '../job.ts';
import type { IngestedLockfile, IngestLockfiles } from '../payloads/ingest-lockfiles.ts';
import type { Ports } from '../ports.ts';
import { readTargetSuppressions } from './target-suppressions.ts';
import { contentHash } from './unchanged.ts';

type Needs = Pick<Ports, 'blobs' | 'limits' | 'lockfiles'>;

/** A lockfile that was read. */
export interface ReadFile {
  readonly path: string;
  readonly sha256: string;
  readonly lockfile: Lockfile;
  /** Of the `.lockhound.yaml` beside it. */
  readonly suppressions: readonly Suppression[];
}

/** Workers died repeatedly while they read these files, so the scan continues without the files. */
export function allUnread({ lockfiles }: IngestLockfiles): {
  read: readonly ReadFile[];
  unread: readonly UnreadLockfile[];
} {
  const unread = lockfiles.map((file): UnreadLockfile => {
    const message = `${file.path}: not read, because workers died repeatedly while they ran this scan`;
    const error = 'unread' in file ? file.unread : { code: 'worker-died', message };
    return { path: file.path, ...('unread' in file ? {} : { sha256: contentHash(file) }), error };
  });
  return { read: [], unread };
}

/** Lockfiles of this many bytes, companions included, are read in less time than a job waits for another one. */
const LARGE_BYTES = 1_048_576;

interface AllRead {
  readonly read: readonly ReadFile[];
  readonly unread: readonly UnreadLockfile[];
}

/**
 * Reads one lockfile after the other. Throws when another attempt may read what this one could not, and a postponing `JobError`
 * (`others-first`) while this process reads large lockfiles of the same target: scans of one target would keep all others waiting.
 */
export async function readAll(payload: IngestLockfiles, ports: Needs, context: RunContext): Promise<AllRead> {
  const { target } = payload;
  if (ports.lockfiles.reserve === undefined || bytesOf(payload) < LARGE_BYTES) {
    return await readInTurn(payload, ports, context);
  }
  const release = ports.lockfiles.reserve(target.id);
  if (release === undefined) {
    throw new JobError('others-first', `another scan of ${target.id} is being read`, { retryable: true });
  }
  try {
    return await readInTurn(payload, ports, context);
  } finally {
    release();
  }
}

/** Size of all files with their companions. */
function bytesOf({ lockfiles }: IngestLockfiles): number {
  const all = lockfiles.flatMap((file) => ('unread' in file ? [] : [file, ...(file.companions ?? [])]));
  const sizes = all.map((one) => {
    if ('content' in one) return one.content.length;
    return 'bytes' in one ? one.bytes : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function readInTurn(payload: IngestLockfiles, ports: Needs, context: RunContext): Promise<AllRead> {
  const read: ReadFile[] = [];
  const unread: UnreadLockfile[] = [];
  const total = payload.lockfiles.length;
  for (const [index, file] of payload.lockfiles.entries()) {
    context.signal.throwIfAborted();
    context.progress({ step: 'read', done: index, total });
    if ('unread' in file) {
      unread.push({ path: file.path, error: file.unread });
      continue;
    }
    try {
      read.push(await readOne(file, ports, context.signal));
    } catch (error) {
      context.signal.throwIfAborted();
      unread.push({
        path: file.path,
        sha256: contentHash(file),
        error: unreadError(file.path, error, context),
      });
    }
  }
  context.progress({ step: 'read', done: total, total });
  const repeated = repeatedSboms(read);
  return { read: read.map((file) => (repeated.has(file) ? withoutPackages(file) : file)), unread };
}

/** An SBOM that repeats other lockfiles of the scan stays in the report, and its packages count in these lockfiles. */
function withoutPackages(file: ReadFile): ReadFile {
  return { ...file, lockfile: { ...file.lockfile, packages: [] } };
}

/** Why a file is unread. Throws the error when another attempt may succeed; errors without a code count as retryable. */
function unreadError(path: string, error: unknown, { lastAttempt }: RunContext): UnreadError {
  const isCoded = error instanceof CodedError;
  if (isCoded ? error.retryable : !lastAttempt) throw error;
  if (isCoded) return { code: error.code, message: error.message };
  return { code: 'unexpected', message: `${path}: unexpected error: ${messageOf(error)}` };
}

async function readOne(file: ReadableLockfile, ports: Needs, signal: AbortSignal): Promise<ReadFile> {
  if ('bytes' in file) checkSize(file.path, file.bytes, ports.limits.lockfile);
  const companions = await Promise.all((file.companions ?? []).map((one) => companionOf(one, ports)));
  const settings = companions.find(({ name }) => name === TARGET_FILE);
  const request = {
    path: file.path,
    content: await contentOf(file, file.path, ports),
    companions: companions.filter((one) => one !== settings),
    limits: ports.limits.lockfile,
    format: file.format,
  };
  const lockfile = await ports.lockfiles.read(request, signal);
  const read = { path: file.path, sha256: contentHash(file) };
  if (settings === undefined) return { ...read, lockfile, suppressions: [] };
  const { suppressions, problems } = await readTargetSuppressions(settings, file.path);
  return {
    ...read,
    lockfile: { ...lockfile, problems: [...lockfile.problems, ...problems] },
    suppressions,
  };
}

type ReadableLockfile = Exclude<IngestedLockfile, { readonly unread: UnreadError }>;
type IngestedCompanion = NonNullable<IngestedLockfile['companions']>[number];
type Content = { readonly content: string } | { readonly sha256: string; readonly bytes: number };

async function companionOf(companion: IngestedCompanion, ports: Needs): Promise<Companion> {
  const { name } = companion;
  if ('unread' in companion) return { name, error: companion.unread };
  try {
    return { name, content: await contentOf(companion, name, ports) };
  } catch (error) {
    if (!(error instanceof CodedError) || error.retryable) throw error;
    return { name, error: { code: error.code, message: error.message } };
  }
}

async function contentOf(source: Content, path: string, { blobs }: Needs): Promise<Buffer> {
  if ('content' in source) return Buffer.from(source.content);
  return await blobs.read({ path, sha256: source.sha256, bytes: source.bytes });
}
