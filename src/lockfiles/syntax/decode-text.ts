import { isAscii } from 'node:buffer';
import { LockfileError } from '../errors.ts';

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
