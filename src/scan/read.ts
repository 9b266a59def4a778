import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { ownedRoot, TARGET_FILE } from '../lockfiles/companions.ts';
import { isOnlyForExceptions } from '../lockfiles/exceptions/catalog.ts';
import type { Companion } from '../lockfiles/format.ts';
import { checkSize, type LockfileLimits, type LockfileRequest } from '../lockfiles/read-as.ts';
import { repeatedSboms } from '../lockfiles/sbom/repeated-sbom.ts';
import { CodedError, messageOf } from '../model/errors.ts';
import type { ScannedRevision } from '../model/fleet/ledger.ts';
import type { ScannedImage } from '../model/image/image.ts';
import type { LockedPackage, Lockfile } from '../model/lockfile/lockfile.ts';
import type { ContentReference } from '../model/scan/change.ts';
import type { Exception } from '../model/scan/exception.ts';
import type { UnreadError, UnreadLockfile } from '../model/scan/inventory.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import type { Attempt } from './attempt.ts';
import { exceptionsBeside } from './exceptions.ts';
import { readTargetSettings } from './target-settings.ts';

/** Each line is compared with each lockfile. GitHub reads 3 MB. */
const MAX_OWNER_BYTES = 3_145_728;

export interface Reading {
  readonly limits: LockfileLimits;
  /**
   * Reads a lockfile within time and memory limits in proportion to its size. Rejects with a coded error when it cannot be
   * read, with the signal's reason when that aborts.
   */
  read(request: LockfileRequest, signal: AbortSignal): Promise<Lockfile>;
  /** The content of a file that is given by its hash. Throws a coded error. Absent where all files are given with their contents. */
  stored?(reference: ContentReference): Promise<Buffer>;
}

/** A lockfile that was read. */
export interface ReadFile {
  readonly path: string;
  readonly sha256: string;
  readonly lockfile: Lockfile;
  /** The suppressions of the `.lockhound.yaml` beside it. */
  readonly suppressions: readonly Suppression[];
  /** Its owners by the `.lockhound.yaml` beside it, or by CODEOWNERS. */
  readonly owners: readonly string[];
  /** The exceptions in the files beside it. */
  readonly exceptions: readonly Exception[];
}

/** The lockfiles of a scan. */
export interface AllRead {
  readonly read: readonly ReadFile[];
  readonly unread: readonly UnreadLockfile[];
}

/** Reads one lockfile after the other. Throws when another attempt may read what this one could not. */
export async function readLockfiles(
  lockfiles: readonly ProducedLockfile[],
  reading: Reading,
  attempt: Attempt,
): Promise<AllRead> {
  const read: ReadFile[] = [];
  const unread: UnreadLockfile[] = [];
  const total = lockfiles.length;
  const seen = new Set<string>();
  for (const [index, file] of lockfiles.entries()) {
    attempt.signal.throwIfAborted();
    attempt.progress({ step: 'read', done: index, total });
    if ('unread' in file) {
      unread.push({ path: file.path, error: file.unread });
      continue;
    }
    try {
      read.push(await readOne(file, reading, { seen, signal: attempt.signal }));
    } catch (error) {
      attempt.signal.throwIfAborted();
      unread.push({
        path: file.path,
        sha256: contentHash(file),
        error: unreadError(file.path, error, attempt),
      });
    }
  }
  attempt.progress({ step: 'read', done: total, total });
  const repeated = repeatedSboms(read);
  return { read: read.map((file) => (repeated.has(file) ? withoutPackages(file) : file)), unread };
}

/** An SBOM that repeats other lockfiles of the scan stays in the report, and its packages count in these lockfiles. */
function withoutPackages(file: ReadFile): ReadFile {
  return { ...file, lockfile: { ...file.lockfile, packages: [] } };
}

/** Why a file is unread. Throws the error when another attempt may succeed; errors without a code count as retryable. */
function unreadError(path: string, error: unknown, { lastAttempt }: Attempt): UnreadError {
  const isCoded = error instanceof CodedError;
  if (isCoded ? error.retryable : !lastAttempt) throw error;
  if (isCoded) return { code: error.code, message: error.message };
  return { code: 'unexpected', message: `${path}: unexpected error: ${messageOf(error)}` };
}

/** `seen`: the files of exceptions that were read before. */
async function readOne(
  file: ReadableLockfile,
  reading: Reading,
  { seen, signal }: { readonly seen: Set<string>; readonly signal: AbortSignal },
): Promise<ReadFile> {
  if ('bytes' in file) checkSize(file.path, file.bytes, reading.limits);
  const companions = await Promise.all((file.companions ?? []).map((one) => companionOf(one, reading)));
  const settings = companions.find(({ name }) => name === TARGET_FILE);
  const ownerFile = companions.find(({ name }) => ownedRoot(name) !== undefined);
  const request = {
    path: file.path,
    content: await contentOf(file, file.path, reading),
    companions: companions.filter(
      (one) => one !== settings && ownedRoot(one.name) === undefined && !isOnlyForExceptions(one.name),
    ),
    limits: reading.limits,
    format: file.format,
  };
  const lockfile = await reading.read(request, signal);
  const { path, content } = request;
  const exceptions = await exceptionsBeside({ path, content, companions, lockfile }, seen);
  const read = { path, sha256: contentHash(file), exceptions };
  const byCode = ownerFile === undefined ? [] : await ownersBy(ownerFile, file.path);
  if (settings === undefined) return { ...read, lockfile, suppressions: [], owners: byCode };
  const { suppressions, owners = byCode, problems } = await readTargetSettings(settings, file.path);
  return {
    ...read,
    lockfile: { ...lockfile, problems: [...lockfile.problems, ...problems] },
    suppressions,
    owners,
  };
}

/** The owners of a lockfile by the CODEOWNERS of its repository. One that could not be read names none. */
async function ownersBy({ name, content }: Companion, path: string): Promise<readonly string[]> {
  if (content === undefined || content.length > MAX_OWNER_BYTES) return [];
  // Loaded on use: it takes a library, and few targets have the file.
  const { codeOwners } = await import('../policy/owners.ts');
  const root = posix.join(posix.dirname(path), ownedRoot(name) ?? '');
  return codeOwners(content.toString('utf8'), posix.relative(root, path));
}

/** SHA-256 of a content, hex. */
export function contentHash(file: Content): string {
  return 'content' in file ? createHash('sha256').update(file.content).digest('hex') : file.sha256;
}

type Content = Exclude<ProducedContent, { readonly unread: unknown }> | StoredContent;
type ReadableLockfile = Extract<ProducedLockfile, Content>;

async function companionOf(companion: ProducedCompanion, reading: Reading): Promise<Companion> {
  const { name } = companion;
  if ('unread' in companion) return { name, error: companion.unread };
  try {
    return { name, content: await contentOf(companion, name, reading) };
  } catch (error) {
    if (!(error instanceof CodedError) || error.retryable) throw error;
    return { name, error: { code: error.code, message: error.message } };
  }
}

/** The content of a file, which may be stored. Throws a coded error. */
export async function contentOf(
  source: Content,
  path: string,
  { stored }: Pick<Reading, 'stored'>,
): Promise<Buffer> {
  if ('content' in source) {
    return typeof source.content === 'string' ? Buffer.from(source.content) : source.content;
  }
  if (stored === undefined) throw new RangeError(`${path}: this scan has no stored contents`);
  return await stored({ path, sha256: source.sha256, bytes: source.bytes });
}

/** The packages of all lockfiles, in order. */
export function packagesIn({ read }: AllRead): readonly LockedPackage[] {
  return read.flatMap(({ lockfile }) => lockfile.packages);
}

export interface ScanRequest {
  readonly target: { readonly id: string; readonly labels?: Readonly<Record<string, string>> };
  /** May be empty where the scan names an image. */
  readonly lockfiles: readonly ProducedLockfile[];
  /** The container image that the target is, by the chain identifiers of its layers. */
  readonly image?: ScannedImage | undefined;
  /** The revision that the lockfiles were read from. */
  readonly revision?: ScannedRevision | undefined;
  /** Name of the release that they are the lockfiles of. It becomes a target of its own, and its lockfiles never change. */
  readonly release?: string | undefined;
  /** The last day on which that release is judged with the fleet, as `2028-01-01`, in UTC. Default: no such day. */
  readonly supportedUntil?: string | undefined;
  /** Id of the scan: the same id of one target is scanned once. Workers add a suffix of the target. Default: a new one. */
  readonly scan?: string | undefined;
  /** When the scan was requested, RFC 3339. Default: now. */
  readonly requestedAt?: string;
  /** These are only some of the lockfiles of the target: findings in the others stay open. Default: all of them. */
  readonly partial?: boolean;
}

/** A lockfile with its content, with a reference to content that is stored already, or unread. */
export type ProducedLockfile = ProducedFile & (ProducedContent | StoredContent);

/** The content of a file, or why it could not be read: the scan then reports it as unread and resolves nothing in it. */
export type ProducedContent =
  | { readonly content: string | Buffer }
  | { readonly unread: { readonly code: string; readonly message: string } };

export interface StoredContent {
  /** SHA-256 of the content, hex. */
  readonly sha256: string;
  /** Size of the content, uncompressed. */
  readonly bytes: number;
}

interface ProducedFile {
  /** Below the target's root, with forward slashes. */
  readonly path: string;
  /** Name of the format; detected when left out. */
  readonly format?: string | undefined;
  /**
   * Companions: files that its format also reads, such as its manifest. Paths are relative to its folder
   * (`../pom.xml`).
   */
  readonly companions?: readonly ProducedCompanion[] | undefined;
}

type ProducedCompanion = { readonly name: string } & (ProducedContent | StoredContent);
