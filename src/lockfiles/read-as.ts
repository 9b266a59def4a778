import type { Lockfile, Problem } from '../model/lockfile/lockfile.ts';
import { isReadWhole } from '../model/lockfile/read-whole.ts';
import { LockfileError } from './errors.ts';
import type { Companion, Format, LockfileInput } from './format.ts';
import { remedyFor } from './known-formats.ts';
import { LockfileBuilder, type LockfileContent } from './packages/lockfile-builder.ts';
import { withoutSecrets } from './packages/sources.ts';
import { type Decoded, decodeContent } from './syntax/decode-text.ts';

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
  /** See `LockfileInput`. */
  readonly companion?: LockfileInput['companion'];
  readonly limits?: Partial<LockfileLimits>;
  /** See `LockfileInput`. */
  readonly onePassOnly?: LockfileInput['onePassOnly'];
  /** As in `LockfileInput`. Threads do without it. */
  readonly memo?: LockfileInput['memo'];
}

export type LockfileRequest = Omit<ReadRequest, 'companion'> & { readonly companions: readonly Companion[] };

/** The remedy for a lockfile that is too large. */
export const RAISE_LIMIT = 'raise lockfiles.maxBytes if the file is correct';

/** Reads a lockfile of a known format. Throws `LockfileError`, and `UnknownLayout` for `onePassOnly`. */
export function readAs(format: Format, request: ReadRequest): Lockfile {
  return readDecoded(format, decodeRequest(request), request);
}

/** The text of the file. Throws `LockfileError`: it is too large, known as unsupported, or not text. */
export function decodeRequest({ path, content, limits }: ReadRequest): Decoded {
  checkSize(path, content.length, { ...DEFAULT_LIMITS, ...limits });
  const remedy = remedyFor(path);
  if (remedy !== undefined) throw new LockfileError('unsupported-version', `${path}: ${remedy}`);
  return decodeContent(content, path);
}

export function readDecoded(format: Format, { text, bytes }: Decoded, request: ReadRequest): Lockfile {
  const { path, companion, onePassOnly, memo } = request;
  const { maxPackages } = { ...DEFAULT_LIMITS, ...request.limits };
  const isEmpty = text.trim() === '';
  if (isEmpty && format.mayBeEmpty === undefined) {
    throw new LockfileError('empty', `${path}: the file is empty`);
  }
  const builder = new LockfileBuilder();
  format.read({ path, text, bytes, companion, onePassOnly, memo }, builder);
  const read = builder.content();
  if (read.packages.length > maxPackages) {
    throw new LockfileError(
      'too-many-packages',
      `${path}: ${read.packages.length} packages exceed the limit of ${maxPackages}; raise lockfiles.maxPackages if the file is correct`,
    );
  }
  const mayHoldNone =
    format.isManifest === true || builder.saysNothingIsLocked || (isEmpty && format.mayBeEmpty === true);
  const problems = problemsOf(read, mayHoldNone);
  return { format: format.name, ...read, problems };
}

/** Problems quote what could not be read, which may be a URL with credentials. */
function problemsOf({ packages, problems }: LockfileContent, mayHoldNone: boolean): readonly Problem[] {
  const cleaned = problems.map((one) => ({ ...one, message: withoutSecrets(one.message) }));
  if (packages.length > 0 || mayHoldNone || !isReadWhole({ problems })) return cleaned;
  return [...cleaned, { kind: 'unread', line: undefined, message: NO_PACKAGE }];
}

/** A file that locks nothing and does not name the target looks the same as one whose entries the reader does not recognise. */
export const NO_PACKAGE = 'no package was found in it; exclude it if it locks nothing';

/** Reads a lockfile with its companions. A companion that could not be read is a problem. Throws `LockfileError`. */
export function withCompanions(
  { companions, ...request }: LockfileRequest,
  read: (request: ReadRequest) => Lockfile,
): Lockfile {
  const contents = new Map(companions.map(({ name, content }) => [name, content]));
  const lockfile = read({ ...request, companion: (name) => contents.get(name) });
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
