import { isAscii } from 'node:buffer';
import type { Lockfile } from '../model/lockfile.ts';
import { detectFormat, FORMATS, formatNamed } from './catalog.ts';
import { LockfileError } from './errors.ts';
import type { Format } from './format.ts';

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
  /** Reads a file beside this one by name; `undefined` where there is none. */
  readonly sibling?: (name: string) => Buffer | undefined;
  /** Reads a file in a folder above, `level` folders up, among what was given; `undefined` where there is none. */
  readonly ancestor?: (level: number, name: string) => Buffer | undefined;
  readonly limits?: Partial<LockfileLimits>;
}

const HEAD_CHARACTERS = 4_096;

/** Reads one lockfile of any known format. Throws `LockfileError`. */
export function readLockfile(request: ReadRequest): Lockfile {
  const { path, content, sibling, ancestor } = request;
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  checkSize(path, content.length, limits);
  const text = decode(content, path);
  if (text.trim() === '') throw new LockfileError('empty', `${path}: the file is empty`);
  const format = formatFor(request, text.slice(0, HEAD_CHARACTERS));
  const lockfile = format.read({
    path,
    text,
    ...(sibling === undefined ? {} : { sibling }),
    ...(ancestor === undefined ? {} : { ancestor }),
  });
  if (lockfile.packages.length > limits.maxPackages) {
    throw new LockfileError(
      'too-many-packages',
      `${path}: ${lockfile.packages.length} packages are more than the ${limits.maxPackages} that are taken; raise lockfiles.maxPackages if it is right`,
    );
  }
  return lockfile;
}

/** Refuses a file by its size alone, before anything of it is read. Throws `LockfileError` (`too-large`). */
export function checkSize(path: string, bytes: number, { maxBytes }: LockfileLimits): void {
  if (bytes <= maxBytes) return;
  throw new LockfileError(
    'too-large',
    `${path}: ${bytes} bytes are more than the ${maxBytes} that are read; raise lockfiles.maxBytes if it is right`,
  );
}

function formatFor({ path, format }: ReadRequest, head: string): Format {
  const found = format === undefined ? detectFormat(path, head) : formatNamed(format);
  if (found !== undefined) return found;
  const known = FORMATS.map(({ name }) => name).join(', ');
  const what =
    format === undefined
      ? 'neither name nor content is of a format that is known'
      : `no format is named "${format}"`;
  throw new LockfileError('unknown-format', `${path}: ${what}; the formats are ${known}`);
}

/** Text in UTF-8, or UTF-16 by its byte order mark, without the mark. */
function decode(content: Buffer, path: string): string {
  const [first, second, third] = content;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(content);
  if (content.includes(0)) {
    throw new LockfileError('binary', `${path}: the file holds NUL bytes; a lockfile is text`);
  }
  // The same text for half the work; nearly all lockfiles are.
  if (isAscii(content)) return content.toString('latin1');
  const start = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
  return content.toString('utf8', start);
}
