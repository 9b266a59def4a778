export interface Line {
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
  readonly lines: readonly Line[];
}

const CONFLICT = /^(?:<{7}|>{7}|={7}|\|{7})(?:\s|$)/;

/** Splits the file into sections. Returns the 1-based line of the first merge conflict marker where there is one. */
export function readSections(text: string): readonly Section[] | number {
  const sections: { heading: string; line: number; lines: Line[] }[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = index + 1;
    const stated = raw.trimEnd();
    if (stated === '') continue;
    if (CONFLICT.test(stated)) return line;
    const indent = stated.length - stated.trimStart().length;
    if (indent === 0) sections.push({ heading: stated, line, lines: [] });
    else sections.at(-1)?.lines.push({ line, indent, text: stated.slice(indent) });
  }
  return sections;
}
