import type { LineCursor } from './line-cursor.ts';
import { UnknownLayout } from './unknown-layout.ts';

const [QUOTE, APOSTROPHE, COLON, SPACE, QUESTION, BACKSLASH, DASH] = [34, 39, 58, 32, 63, 92, 45];
/** First characters of anchors, aliases, tags, block scalars, flow collections and reserved tokens: not plain scalars. */
const SPECIAL = new Set([...'&*!|>%@`[]{},#'].map((character) => character.charCodeAt(0)));
/** By code unit: whether a key that begins with it is quoted, or may not be a plain scalar. */
const UNUSUAL = new Uint8Array(128);
for (const code of [QUOTE, APOSTROPHE, DASH, QUESTION, COLON, ...SPECIAL]) UNUSUAL[code] = 1;

/**
 * Position of the colon after the key of the current line. An explicit key (`? key`, which YAML requires for keys of more
 * than 1,024 characters) ends with its line.
 */
export function keyEnd(cursor: LineCursor): number {
  const { text, units, start, end } = cursor;
  if (UNUSUAL[units[start] ?? 0] === 1) {
    const found = endOfUnusualKey(cursor);
    if (found >= 0) return found;
  }
  for (let at = text.indexOf(':', start); at >= 0 && at < end; at = text.indexOf(':', at + 1)) {
    if (at + 1 !== end && units[at + 1] !== SPACE) continue;
    // Spaces before a colon do not belong to the key.
    if (units[at - 1] === SPACE) break;
    return at;
  }
  throw new UnknownLayout(`line ${cursor.line}`);
}

/** The end of a key that does not begin like most plain scalars; -1 for one that is a plain scalar nevertheless. */
function endOfUnusualKey(cursor: LineCursor): number {
  const { text, start, end } = cursor;
  const first = text.charCodeAt(start);
  if (first === QUOTE || first === APOSTROPHE) {
    const close = closingQuote(text, start, end);
    if (text.charCodeAt(close + 1) === COLON) return close + 1;
    throw new UnknownLayout(`line ${cursor.line}`);
  }
  if (first === QUESTION && text.charCodeAt(start + 1) === SPACE) return end;
  // An element of a list, or part of an explicit key.
  const isPlain = (first === DASH || first === QUESTION) && !isEndOrSpace(text, start + 1, end);
  if (!isPlain) throw new UnknownLayout(`line ${cursor.line}`);
  return -1;
}

function isEndOrSpace(text: string, at: number, end: number): boolean {
  return at >= end || text.charCodeAt(at) === SPACE;
}

/** Throws for characters that the line readers do not handle: tabs, and carriage returns as line ends. */
export function refuseOddSpaces(text: string): void {
  if (text.includes('\t') || (text.includes('\r') && /\r(?!\n)/.test(text)))
    throw new UnknownLayout('odd spaces');
}

/**
 * Enters the value of an explicit key. It begins with a colon at the indentation of the key, on the same line as the value
 * or on the line before.
 */
export function enterExplicitValue(cursor: LineCursor, indent: number): void {
  const { text, start, end } = cursor;
  if (cursor.indent !== indent || text.charCodeAt(start) !== COLON) return;
  if (start + 1 === end || text.slice(start, end) === ': {}') {
    cursor.advance();
    return;
  }
  if (text.charCodeAt(start + 1) !== SPACE || text.charCodeAt(start + 2) === SPACE) {
    throw new UnknownLayout(`line ${cursor.line}`);
  }
  cursor.start += 2;
  cursor.indent += 2;
}

/** The key of the current line. */
export function keyText(cursor: LineCursor, colon: number): string {
  const { text, units, start } = cursor;
  const first = units[start];
  // An explicit key can be a mapping. A plain key can begin with a question mark, too.
  if (first === QUESTION && units[start + 1] === SPACE) {
    const key = text.slice(start + 2, colon).trim();
    if (!/^["']/.test(key) && /:(?:\s|$)/.test(key)) throw new UnknownLayout(`line ${cursor.line}`);
    return scalar(key);
  }
  if (first === QUOTE || first === APOSTROPHE) {
    const inner = text.slice(start + 1, colon - 1);
    return inner.includes(first === QUOTE ? '\\' : "'") ? scalar(text.slice(start, colon)) : inner;
  }
  const key = text.slice(start, colon);
  if (key.includes(' #')) throw new UnknownLayout(`line ${cursor.line}`);
  return key;
}

/** The unparsed value on the current line; empty when it is on the lines below. */
export function rawValue(cursor: LineCursor, colon: number): string {
  const { units, end } = cursor;
  let from = colon + 1;
  while (from < end && units[from] === SPACE) from += 1;
  let to = end;
  while (to > from && units[to - 1] === SPACE) to -= 1;
  return from === to ? '' : cursor.text.slice(from, to);
}

/** Parses a quoted or plain scalar on one line. */
export function scalar(raw: string): string {
  const first = raw.charCodeAt(0);
  if (first === QUOTE || first === APOSTROPHE) {
    if (closingQuote(raw, 0, raw.length) !== raw.length - 1) throw new UnknownLayout(raw.slice(0, 100));
    const inner = raw.slice(1, -1);
    if (first === APOSTROPHE) return inner.includes("'") ? inner.replaceAll("''", "'") : inner;
    return inner.includes('\\') ? unescaped(raw) : inner;
  }
  if (SPECIAL.has(first) || raw.includes(' #')) throw new UnknownLayout(raw.slice(0, 100));
  return raw;
}

/** The usual form of `resolution`. */
const ONE_MEMBER = /^\{(\w+): (\w[\w+/=-]*)\}$/;

/**
 * Parses a flow mapping of scalars on one line: `{integrity: sha512-…, tarball: https://…}`. Throws for nested values and
 * quoted commas, because it splits the text at commas.
 */
export function flowMapping(raw: string): readonly (readonly [string, string])[] {
  const [, name, value] = ONE_MEMBER.exec(raw) ?? [];
  if (name !== undefined && value !== undefined) return [[name, value]];
  const members: [string, string][] = [];
  if (!raw.startsWith('{') || !raw.endsWith('}')) throw new UnknownLayout(raw.slice(0, 100));
  const inner = raw.slice(1, -1).trim();
  // A comma ends a plain value even when no space follows.
  if (/[{}[\]]|,(?!\s)/.test(inner)) throw new UnknownLayout(raw.slice(0, 100));
  for (const part of inner === '' ? [] : inner.split(/,\s+/)) {
    const colon = part.search(/:\s/);
    if (colon <= 0 || /^[?-]\s/.test(part)) throw new UnknownLayout(raw.slice(0, 100));
    members.push([scalar(part.slice(0, colon).trim()), scalar(part.slice(colon + 1).trim())]);
  }
  return members;
}

function closingQuote(text: string, start: number, end: number): number {
  const quote = text.charCodeAt(start);
  const mark = quote === QUOTE ? '"' : "'";
  let at = text.indexOf(mark, start + 1);
  for (;;) {
    if (at < 0 || at >= end) throw new UnknownLayout(text.slice(start, Math.min(end, start + 100)));
    if (quote === APOSTROPHE && text.charCodeAt(at + 1) === APOSTROPHE) at = text.indexOf(mark, at + 2);
    else if (quote === QUOTE && isEscaped(text, at)) at = text.indexOf(mark, at + 1);
    else return at;
  }
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** Resolves the escapes that YAML shares with JSON; others are rare. */
function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new UnknownLayout(quoted.slice(0, 100));
  }
}
