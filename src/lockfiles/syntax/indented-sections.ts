import { LockfileError } from '../errors.ts';

/** A line below a heading. */
export interface IndentedLine {
  /** 1-based. */
  readonly line: number;
  /** Number of spaces before the text. */
  readonly indent: number;
  /** Trimmed. */
  readonly text: string;
}

/** A heading in capitals with the indented lines below it. */
export interface Section {
  readonly heading: string;
  /** 1-based line of the heading. */
  readonly line: number;
  readonly lines: readonly IndentedLine[];
}

const CONFLICT = /^(?:<{7}|>{7}|={7}|\|{7})(?:\s|$)/;

/** Splits a file of Bundler or Paket into sections. Throws `LockfileError` (`syntax`) at a merge conflict marker. */
export function readSections(text: string, path: string): readonly Section[] {
  const sections: { heading: string; line: number; lines: IndentedLine[] }[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = index + 1;
    const stated = raw.trimEnd();
    if (stated === '') continue;
    if (CONFLICT.test(stated)) {
      throw new LockfileError('syntax', `${path}:${line}: unresolved merge conflict`);
    }
    const indent = stated.length - stated.trimStart().length;
    if (indent === 0) sections.push({ heading: stated, line, lines: [] });
    else sections.at(-1)?.lines.push({ line, indent, text: stated.slice(indent) });
  }
  return sections;
}
