import { isReadWhole, type Lockfile, type Problem } from '../model/scan/lockfile.ts';
import { detectFormat, formatNamed, remedyFor } from './catalog.ts';
import { LockfileError } from './errors.ts';
import type { Companion, Format, LockfileContent, LockfileInput } from './format.ts';
import { withoutSecrets } from './packages/credentials.ts';
import { decodeText } from './syntax/decode-text.ts';

export interface LockfileLimits {
  /** Size of the file in bytes. */
  readonly maxBytes: number;
  readonly maxPackages: number;
}

export const DEFAULT_LIMITS: LockfileLimits = { maxBytes: 104_857_600, maxPackages: 500_000 };

export interface ReadRequest {
  /** Path for messages. */
  readonly path: string;
  readonly content: Buffer;
  /** Name of the format; detected when it is not set. */
  readonly format?: string | undefined;
  /** As in `LockfileInput`. */
  readonly companion?: LockfileInput['companion'];
  readonly limits?: Partial<LockfileLimits>;
}

/** A lockfile with its companions. */
export type CompleteRequest = Omit<ReadRequest, 'companion'> & { readonly companions: readonly Companion[] };

/** What to do about a lockfile that is too large. */
export const RAISE_LIMIT = 'raise lockfiles.maxBytes if the file is correct';

const HEAD_CHARACTERS = 4_096;

/** Reads one lockfile of any known format. Throws `LockfileError`. */
export function readLockfile(request: ReadRequest): Lockfile {
  const { path, content, companion } = request;
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  checkSize(path, content.length, limits);
  const remedy = remedyFor(path);
  if (remedy !== undefined) throw new LockfileError('unsupported-version', `${path}: ${remedy}`);
  const text = decodeText(content, path);
  const format = formatFor(request, text.slice(0, HEAD_CHARACTERS));
  const isEmpty = text.trim() === '';
  if (isEmpty && format.mayBeEmpty !== true) {
    throw new LockfileError('empty', `${path}: the file is empty`);
  }
  const read = format.read({ path, text, companion });
  if (read.packages.length > limits.maxPackages) {
    throw new LockfileError(
      'too-many-packages',
      `${path}: ${read.packages.length} packages exceed the limit of ${limits.maxPackages}; raise lockfiles.maxPackages if the file is correct`,
    );
  }
  const problems = problemsOf(read, format.isManifest === true || isEmpty);
  return { format: read.format ?? format.name, packages: read.packages, problems };
}

/** Problems quote what could not be read, which may be a URL with credentials. */
function problemsOf({ packages, problems }: LockfileContent, mayHoldNone: boolean): readonly Problem[] {
  const cleaned = problems.map((one) => ({ ...one, message: withoutSecrets(one.message) }));
  if (packages.length > 0 || mayHoldNone || !isReadWhole({ problems })) return cleaned;
  return [...cleaned, { kind: 'unread', line: undefined, message: NO_PACKAGE }];
}

/** A file that locks nothing looks the same as a file whose entries the reader does not recognise. */
export const NO_PACKAGE =
  'the file is not empty, but no package was found in it; exclude it if it locks nothing';

/** Reads a lockfile with its companions. A companion that could not be read is a problem. Throws `LockfileError`. */
export function readWithCompanions({ companions, ...request }: CompleteRequest): Lockfile {
  const contents = new Map(companions.map(({ name, content }) => [name, content]));
  const lockfile = readLockfile({ ...request, companion: (name) => contents.get(name) });
  const unread = companions.flatMap(({ error }): readonly Problem[] =>
    error === undefined ? [] : [{ kind: 'unread', line: undefined, message: withoutSecrets(error.message) }],
  );
  return unread.length === 0 ? lockfile : { ...lockfile, problems: [...lockfile.problems, ...unread] };
}

/** Checks the size before the file is read. Throws `LockfileError` (`too-large`). */
export function checkSize(path: string, bytes: number, { maxBytes }: LockfileLimits): void {
  if (bytes <= maxBytes) return;
  throw new LockfileError(
    'too-large',
    `${path}: ${bytes} bytes exceed the limit of ${maxBytes}; ${RAISE_LIMIT}`,
  );
}

/** The message for a file of an unknown format, or for an unknown name of a format. */
export function unknownFormat(path: string, format: string | undefined): string {
  const what =
    format === undefined
      ? 'neither its name nor its content matches a known format; name the format with --as'
      : `no format is named "${format}"`;
  return `${path}: ${what} (\`lockhound parse --formats\` lists all formats)`;
}

/** Throws `LockfileError` (`unknown-format`) when an option names a format that does not exist. */
export function requireFormat(option: string, format: string | undefined): void {
  if (format === undefined || formatNamed(format) !== undefined) return;
  throw new LockfileError('unknown-format', unknownFormat(option, format));
}

function formatFor({ path, format }: ReadRequest, head: string): Format {
  const found = format === undefined ? detectFormat(path, head) : formatNamed(format);
  if (found !== undefined) return found;
  throw new LockfileError('unknown-format', unknownFormat(path, format));
}
