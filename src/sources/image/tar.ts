import { close, read } from '../../files/file-system.ts';
import { openFile } from '../../files/open-file.ts';
import { CodedError } from '../../model/errors.ts';

const BLOCK = 512;
const MAX_ENTRIES = 20_000;
/** The header of a larger file (PAX) has some hundred bytes. */
const MAX_EXTENDED_BYTES = 64 * 1024;
const NO_IMAGE = 'no OCI layout and no archive of an image';
const FILE_TYPES = new Set(['0', '\0', '7']);

/** A file in an archive. */
interface TarEntry {
  /** The position at which its content begins. */
  readonly at: number;
  readonly bytes: number;
}

/**
 * Reads the headers of a tar archive. Contents are skipped by their size and not read, so that an image of gigabytes takes as long as one of
 * megabytes; no library offers that. Links and names of more than 100 characters are left out: no file of an image has them. Throws
 * `ImageError` and `FileError`.
 * `entries`: regular files by name. Of several with one name, the last.
 */
export async function openTar(path: string) {
  const { descriptor, size } = await openFile(path);
  try {
    const entries = await readEntries(path, descriptor, size);
    return {
      entries,
      read: async ({ at, bytes }: TarEntry) => await readAt(path, descriptor, at, bytes),
      close: () => close(descriptor),
    };
  } catch (error) {
    await close(descriptor);
    throw error;
  }
}

async function readEntries(
  path: string,
  descriptor: number,
  size: number,
): Promise<ReadonlyMap<string, TarEntry>> {
  await refuseGzip(path, descriptor);
  const entries = new Map<string, TarEntry>();
  let at = 0;
  let count = 0;
  let statedSize: number | undefined;
  for (;;) {
    if (at === size && count > 0) return entries;
    const header = await readAt(path, descriptor, at, BLOCK, count === 0 ? 'not-an-image' : 'damaged');
    if (header.every((byte) => byte === 0)) return entries;
    if (!hasChecksum(header)) throw notTar(path, count);
    count += 1;
    if (count > MAX_ENTRIES) throw new ImageError('too-large', `${path}: more than ${MAX_ENTRIES} files`);
    const type = header.toString('latin1', 156, 157);
    const bytes = statedSize ?? sizeOf(path, header);
    statedSize = undefined;
    const content = at + BLOCK;
    if (type === 'x') statedSize = await extendedSize(path, descriptor, content, bytes);
    else if (FILE_TYPES.has(type)) entries.set(nameOf(header), { at: content, bytes });
    at = content + Math.ceil(bytes / BLOCK) * BLOCK;
    if (content + bytes > size) throw new ImageError('damaged', `${path}: the archive is cut off`);
  }
}

/** The `size` of an extended header, which files of more than 8 GiB have. */
async function extendedSize(
  path: string,
  descriptor: number,
  at: number,
  bytes: number,
): Promise<number | undefined> {
  if (bytes > MAX_EXTENDED_BYTES) {
    throw new ImageError('too-large', `${path}: a header exceeds the limit of ${MAX_EXTENDED_BYTES} bytes`);
  }
  const text = (await readAt(path, descriptor, at, bytes)).toString('latin1');
  const [, size] = /^\d+ size=(\d{1,15})$/m.exec(text) ?? [];
  return size === undefined ? undefined : Number(size);
}

async function readAt(
  path: string,
  descriptor: number,
  at: number,
  bytes: number,
  code: 'damaged' | 'not-an-image' = 'damaged',
): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  let length = 0;
  while (length < bytes) {
    const { bytesRead } = await read(descriptor, buffer, length, bytes - length, at + length);
    if (bytesRead === 0) {
      const reason = code === 'damaged' ? 'the archive is cut off' : NO_IMAGE;
      throw new ImageError(code, `${path}: ${reason}`);
    }
    length += bytesRead;
  }
  return buffer;
}

/** The sum of all bytes of a header, with spaces in place of the sum itself. */
function hasChecksum(header: Buffer): boolean {
  const stated = Number.parseInt(header.toString('latin1', 148, 156).replace(/\0.*$/s, '').trim(), 8);
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum === stated;
}

function notTar(path: string, count: number): ImageError {
  return count > 0
    ? new ImageError('damaged', `${path}: the archive is damaged after ${count} entries`)
    : new ImageError('not-an-image', `${path}: ${NO_IMAGE}`);
}

/** Contents of a compressed archive cannot be skipped. */
async function refuseGzip(path: string, descriptor: number): Promise<void> {
  const head = Buffer.alloc(2);
  await read(descriptor, head, 0, 2, 0);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return;
  throw new ImageError('not-an-image', `${path}: it is compressed; decompress it first (\`gunzip\`)`);
}

/** Octal, or binary for large files (GNU). */
function sizeOf(path: string, header: Buffer): number {
  const isBinary = ((header[124] ?? 0) & 0x80) !== 0;
  const size = isBinary
    ? Number(header.readBigUInt64BE(128))
    : Number.parseInt(header.toString('latin1', 124, 136).replace(/\0.*$/s, '').trim() || '0', 8);
  if (Number.isSafeInteger(size) && size >= 0) return size;
  throw new ImageError('damaged', `${path}: a file has no valid size`);
}

function nameOf(header: Buffer): string {
  const text = (from: number, to: number) => header.toString('utf8', from, to).replace(/\0.*$/s, '');
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? text(345, 500) : '';
  const name = text(0, 100);
  return (prefix === '' ? name : `${prefix}/${name}`).replace(/^\.\//, '');
}

/**
 * - `not-an-image`: neither an OCI layout nor an archive of one or of Docker.
 * - `damaged`: cut off, or something in it does not fit its digest or its format.
 * - `too-large`: it exceeds a limit.
 * - `no-such-platform`: the image has no manifest for the platform.
 */
export class ImageError extends CodedError<'not-an-image' | 'damaged' | 'too-large' | 'no-such-platform'> {}
