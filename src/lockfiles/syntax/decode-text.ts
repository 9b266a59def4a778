import { isAscii } from 'node:buffer';
import { LockfileError } from '../errors.ts';

/**
 * Text in UTF-8, or UTF-16 by its byte order mark, without the mark, in lines: where carriage returns alone end these, they
 * are made line feeds. Throws `LockfileError` (`binary`).
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
    throw new LockfileError('binary', `${path}: the file holds NUL bytes; a lockfile is text`);
  }
  // The same text for half the work; nearly all lockfiles are.
  if (isAscii(content)) return content.toString('latin1');
  const start = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
  return content.toString('utf8', start);
}
