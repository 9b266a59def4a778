export interface Line {
  /** 1-based. */
  readonly line: number;
  /** Spaces before it. */
  readonly indent: number;
  /** Without the spaces around it. */
  readonly text: string;
}

/** A section: a heading in capitals and the indented lines below it. */
export interface Section {
  readonly heading: string;
  /** Of the heading, 1-based. */
  readonly line: number;
  readonly lines: readonly Line[];
}

const CONFLICT = /^(?:<{7}|>{7}|={7}|\|{7})(?:\s|$)/;

/** Splits the file into its sections; gives the line of a merge conflict instead when there is one. */
export function readSections(text: string): readonly Section[] | { readonly conflict: number } {
  const sections: { heading: string; line: number; lines: Line[] }[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = index + 1;
    const stated = raw.trimEnd();
    if (stated === '') continue;
    if (CONFLICT.test(stated)) return { conflict: line };
    const indent = stated.length - stated.trimStart().length;
    if (indent === 0) sections.push({ heading: stated, line, lines: [] });
    else sections.at(-1)?.lines.push({ line, indent, text: stated.slice(indent) });
  }
  return sections;
}
