import { defined } from '../../model/defined.ts';

/** One line of a directive (`require`, `replace`, …), alone or in a block. */
export interface Directive {
  readonly verb: string;
  readonly words: readonly string[];
  /** The text after `//`. */
  readonly comment: string;
  readonly line: number;
}

const WORD = /"((?:[^"\\]|\\.)*)"?|`([^`]*)`|(=>|[^\s"`()]+)/g;
const BLOCK = /^(\S+)\s*\($/;

/** Parses the syntax of go.mod (https://go.dev/ref/mod#go-mod-file-grammar). `open`: the line of a block that has no end. */
export function readDirectives(text: string) {
  const directives: Directive[] = [];
  const malformed: { line: number; text: string }[] = [];
  let block: string | undefined;
  let open: number | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = index + 1;
    const { code, comment } = splitComment(raw);
    if (code === '') continue;
    const opened = BLOCK.exec(code);
    if (block === undefined && opened !== null) [block, open] = [opened[1], line];
    else if (block !== undefined && code === ')') [block, open] = [undefined, undefined];
    else {
      const words = wordsOf(code);
      const verb = block ?? words.shift();
      if (verb === undefined || words.length === 0) malformed.push({ line, text: code });
      else directives.push({ verb, words, comment, line });
    }
  }
  return { directives, malformed, ...defined({ open }) };
}

/** A comment begins with the first `//` outside quotes. */
function splitComment(raw: string): { readonly code: string; readonly comment: string } {
  let at = raw.indexOf('//');
  if (at >= 0 && /["`]/.test(raw.slice(0, at))) at = commentAfterQuotes(raw);
  if (at < 0) return { code: raw.trim(), comment: '' };
  return { code: raw.slice(0, at).trim(), comment: raw.slice(at + 2).trim() };
}

const QUOTED_OR_COMMENT = /"(?:[^"\\]|\\.)*"?|`[^`]*`|\/\//g;

function commentAfterQuotes(raw: string): number {
  for (const { 0: found, index } of raw.matchAll(QUOTED_OR_COMMENT)) if (found === '//') return index;
  return -1;
}

/** More words than any directive has: a line of millions of empty strings would exhaust the memory. */
const MAX_WORDS = 100;

function wordsOf(code: string): string[] {
  const words: string[] = [];
  for (const [, quoted, literal, plain] of code.matchAll(WORD)) {
    if (words.length === MAX_WORDS) break;
    words.push(quoted === undefined ? (literal ?? plain ?? '') : quoted.replace(/\\(.)/g, '$1'));
  }
  return words;
}
