import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { FileError, toFileError } from './errors.ts';
import { close, read } from './file-system.ts';
import { checkKind, OPEN_FLAGS, openFile } from './open-file.ts';

export interface ReadLimits {
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  /** The file must be inside this folder, after links are resolved. */
  readonly within?: string | undefined;
  /** The remedy for a file that is too large: `raise lockfiles.maxBytes`. */
  readonly remedy?: string | undefined;
}

/** For configurations, documents and request bodies. */
export const MAX_INPUT_BYTES = 67_108_864;

/** Maximum of one system call. */
const MAX_READ_BYTES = 1_073_741_824;

/**
 * Reads a whole regular file, at most `maxBytes`, even when its stated size is wrong. All files that users or lockfiles name
 * are read with it. Throws `FileError`.
 */
export async function readFile(path: string, limits: ReadLimits): Promise<Buffer> {
  const { descriptor, size } = await openFile(path, limits.within);
  try {
    if (size > limits.maxBytes) throw tooLarge(path, limits);
    let buffer = Buffer.allocUnsafeSlow(size + 1);
    let length = 0;
    for (;;) {
      const bytesRead = await readPart(descriptor, buffer, length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
      if (length > limits.maxBytes) throw tooLarge(path, limits);
      if (length === buffer.length) buffer = grown(buffer, limits.maxBytes);
    }
  } catch (error) {
    throw toFileError(path, error);
  } finally {
    await close(descriptor);
  }
}

async function readPart(descriptor: number, buffer: Buffer, at: number): Promise<number> {
  const length = Math.min(buffer.length - at, MAX_READ_BYTES);
  return (await read(descriptor, buffer, at, length, null)).bytesRead;
}

/** Twice the size, at most one byte more than the limit. */
function grown(buffer: Buffer, maxBytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes + 1, Math.max(65_536, buffer.length * 2)));
  buffer.copy(larger);
  return larger;
}

/** Reads the text of a small file synchronously, at the start of a program. Throws `FileError`. */
export function readTextSync(path: string, maxBytes: number): string {
  let descriptor: number | undefined;
  try {
    checkKind(path, statSync(path));
    descriptor = openSync(path, OPEN_FLAGS);
    const opened = fstatSync(descriptor);
    checkKind(path, opened);
    if (opened.size > maxBytes) throw tooLarge(path, { maxBytes });
    let buffer = Buffer.allocUnsafeSlow(opened.size + 1);
    let length = 0;
    for (;;) {
      const bytesRead = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (bytesRead === 0) return buffer.toString('utf8', 0, length);
      length += bytesRead;
      if (length > maxBytes) throw tooLarge(path, { maxBytes });
      if (length === buffer.length) buffer = grown(buffer, maxBytes);
    }
  } catch (error) {
    throw toFileError(path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function tooLarge(path: string, { maxBytes, remedy }: ReadLimits): FileError {
  const advice = remedy === undefined ? '' : `; ${remedy}`;
  return new FileError('too-large', `${path}: exceeds the limit of ${maxBytes} bytes${advice}`);
}
