import { isAscii } from 'node:buffer';
import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';

/** A content as text. */
export interface Decoded {
  /** The text without a byte order mark. */
  readonly text: string;
  /** The content, where each byte is the character of the text at its position: most lockfiles are ASCII. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, without the mark. Carriage returns become line feeds where a text has no
 * line feeds. Throws `LockfileError` (`binary`).
 */
export function decodeText(content: Buffer, path: string): string {
  return decodeContent(content, path).text;
}

/** Decodes as `decodeText` does. */
export function decodeContent(content: Buffer, path: string): Decoded {
  const isPlain = isAscii(content);
  const text = isPlain ? asciiText(content, path) : textOf(content, path);
  const lined = text.includes('\n') ? text : text.replaceAll('\r', '\n');
  const { buffer, byteOffset, length } = content;
  const bytes = isPlain && lined === text ? new Uint8Array(buffer, byteOffset, length) : undefined;
  return { text: lined, bytes };
}

/** Twice as fast as decoding UTF-8; nearly all lockfiles are ASCII. */
function asciiText(content: Buffer, path: string): string {
  if (content.includes(0)) throw binary(path);
  return content.toString('latin1');
}

function textOf(content: Buffer, path: string): string {
  const [first, second, third] = content;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(content);
  if (content.includes(0)) throw binary(path);
  const start = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
  return content.toString('utf8', start);
}

function binary(path: string): LockfileError {
  return new LockfileError('binary', `${path}: the file contains NUL bytes; a lockfile is text`);
}

/** The UTF-16 code units of a text as numbers: access is much faster than in a string. */
export type CodeUnits = Uint8Array | Uint16Array;

/** The UTF-16 code units of a text, followed by a 0. ASCII texts, which nearly all are, have one byte for each. */
export function unitsOf(text: string): CodeUnits {
  if (Buffer.byteLength(text) === text.length) {
    const bytes = Buffer.allocUnsafeSlow(text.length + 1);
    bytes[bytes.write(text, 'latin1')] = 0;
    return new Uint8Array(bytes.buffer);
  }
  const bytes = Buffer.allocUnsafeSlow(2 * text.length + 2);
  bytes.writeUInt16LE(0, bytes.write(text, 'utf16le'));
  return new Uint16Array(bytes.buffer);
}

/** The text of code units that `unitsOf` returned. */
export function textOfUnits({ buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: size }: CodeUnits): string {
  return Buffer.from(buffer, byteOffset, byteLength - size).toString(size === 1 ? 'latin1' : 'utf16le');
}

/**
 * Returns what `read` makes of the companion at a path relative to the lockfile; `undefined` when it is not available or
 * cannot be read. A companion only adds facts, so its errors are not errors of the lockfile.
 */
export function readCompanion<T>(
  { companion }: LockfileInput,
  name: string,
  read: (text: string) => T,
): T | undefined {
  const content = companion?.(name);
  if (content === undefined) return undefined;
  try {
    return read(decodeText(content, name));
  } catch (error) {
    if (error instanceof LockfileError) return undefined;
    throw error;
  }
}
