import { isAscii } from 'node:buffer';
import { LockfileError } from '../errors.ts';

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, without the mark. Carriage returns become line feeds where a text has no
 * line feeds. Throws `LockfileError` (`binary`).
 */
export function decodeText(content: Buffer, path: string): string {
  const text = decode(content, path);
  return text.includes('\n') ? text : text.replaceAll('\r', '\n');
}

function decode(content: Buffer, path: string): string {
  const [first, second, third] = content;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(content);
  if (content.includes(0)) {
    throw new LockfileError('binary', `${path}: the file contains NUL bytes; a lockfile is text`);
  }
  // Twice as fast for the same text; nearly all lockfiles are ASCII.
  if (isAscii(content)) return content.toString('latin1');
  const start = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
  return content.toString('utf8', start);
}
