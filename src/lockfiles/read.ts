import { isReadWhole, type Lockfile, type Problem } from '../model/scan/lockfile.ts';
import { detectFormat, formatNamed, insteadOf } from './catalog.ts';
import { LockfileError } from './errors.ts';
import type { Companion, Format } from './format.ts';
import { withoutSecrets } from './packages/credentials.ts';
import { decodeText } from './syntax/decode-text.ts';

export interface LockfileLimits {
  /** Size of the file in bytes. */
  readonly maxBytes: number;
  readonly maxPackages: number;
}

export const DEFAULT_LIMITS: LockfileLimits = { maxBytes: 104_857_600, maxPackages: 500_000 };

export interface ReadRequest {
  /** As it is to stand in messages. */
  readonly path: string;
  readonly content: Buffer;
  /** Name of the format, when it is not to be detected. */
  readonly format?: string;
  /** A file that came with it, by its path relative to it; `undefined` where there is none. */
  readonly sibling?: (name: string) => Buffer | undefined;
  readonly limits?: Partial<LockfileLimits>;
}

/** A lockfile with the files that came with it. */
export type CompleteRequest = Omit<ReadRequest, 'sibling'> & { readonly companions: readonly Companion[] };

/** What to do about a lockfile that is too large. */
export const RAISE_LIMIT = 'raise lockfiles.maxBytes if it is right';

const HEAD_CHARACTERS = 4_096;

/** Reads one lockfile of any known format. Throws `LockfileError`. */
export function readLockfile(request: ReadRequest): Lockfile {
  const { path, content, sibling } = request;
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  checkSize(path, content.length, limits);
  refuseUnreadable(path);
  const text = decodeText(content, path);
  const format = formatFor(request, text.slice(0, HEAD_CHARACTERS));
  if (text.trim() === '' && format.mayBeEmpty !== true) {
    throw new LockfileError('empty', `${path}: the file is empty`);
  }
  const lockfile = format.read({ path, text, ...(sibling === undefined ? {} : { sibling }) });
  if (lockfile.packages.length > limits.maxPackages) {
    throw new LockfileError(
      'too-many-packages',
      `${path}: ${lockfile.packages.length} packages are more than the ${limits.maxPackages} that are taken; raise lockfiles.maxPackages if it is right`,
    );
  }
  const mayHoldNone = format.mayAskForNothing === true || text.trim() === '';
  return { ...lockfile, problems: problemsOf(lockfile, mayHoldNone) };
}

/** What could not be read is quoted, and may be a location with credentials in it. */
function problemsOf({ packages, problems }: Lockfile, mayHoldNone: boolean): readonly Problem[] {
  const stated = problems.map((one) => ({ ...one, message: withoutSecrets(one.message) }));
  if (packages.length > 0 || mayHoldNone || !isReadWhole({ problems })) return stated;
  return [...stated, { kind: 'unread', line: undefined, message: NO_PACKAGE }];
}

/** A file that locks nothing cannot be told from one of which a reader sees nothing. */
export const NO_PACKAGE =
  'the file is not empty, and no package was found in it; leave it out if nothing is locked there';

/** The same for a file with its companions; one of them that could not be read is a problem. Throws `LockfileError`. */
export function readWithCompanions({ companions, ...request }: CompleteRequest): Lockfile {
  const beside = new Map(companions.map(({ name, content }) => [name, content]));
  const lockfile = readLockfile({ ...request, sibling: (name) => beside.get(name) });
  const faults = companions.flatMap(({ error }) =>
    error === undefined
      ? []
      : [{ kind: 'unread' as const, line: undefined, message: withoutSecrets(error.message) }],
  );
  return faults.length === 0 ? lockfile : { ...lockfile, problems: [...lockfile.problems, ...faults] };
}

function refuseUnreadable(path: string): void {
  const instead = insteadOf(path);
  if (instead !== undefined) throw new LockfileError('unsupported-version', `${path}: ${instead}`);
}

/** Refuses a file by its size alone, before anything of it is read. Throws `LockfileError` (`too-large`). */
export function checkSize(path: string, bytes: number, { maxBytes }: LockfileLimits): void {
  if (bytes <= maxBytes) return;
  throw new LockfileError(
    'too-large',
    `${path}: ${bytes} bytes are more than the ${maxBytes} that are read; ${RAISE_LIMIT}`,
  );
}

/** Says that a file is of no format that is known, and what to do. */
export function unknownFormat(path: string, format: string | undefined): string {
  const what =
    format === undefined
      ? 'neither its name nor its content is of a format that is known; name one with --as'
      : `no format is named "${format}"`;
  return `${path}: ${what} (\`lockhound parse --formats\` lists them)`;
}

/** Throws `LockfileError` (`unknown-format`) unless a format has this name, given by an option. */
export function requireFormat(option: string, format: string | undefined): void {
  if (format === undefined || formatNamed(format) !== undefined) return;
  throw new LockfileError('unknown-format', unknownFormat(option, format));
}

function formatFor({ path, format }: ReadRequest, head: string): Format {
  const found = format === undefined ? detectFormat(path, head) : formatNamed(format);
  if (found !== undefined) return found;
  throw new LockfileError('unknown-format', unknownFormat(path, format));
}
