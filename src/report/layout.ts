import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** A column narrower than this holds too little of a sentence: its text goes below the row instead. */
const LEAST_WIDTH = 24;
const GAP = '  ';

/**
 * Rows of cells in columns that line up; the last cell of a row takes the rest of the line and continues below itself.
 * Where too little is left for it, it goes below the row. Words are never broken. Cells are printable text and may hold
 * colours; widths are those of the characters on a terminal.
 */
export function columns(
  rows: readonly (readonly string[])[],
  { width, indent = '' }: { readonly width: number; readonly indent?: string },
): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.slice(0, -1).entries()) {
      widths[index] = Math.max(widths[index] ?? 0, stringWidth(cell));
    }
  }
  return rows.flatMap((row) => {
    const head = row.slice(0, -1).map((cell, index) => pad(cell, widths[index] ?? 0) + GAP);
    const lead = indent + head.join('');
    return hang(lead, row.at(-1) ?? '', width);
  });
}

/**
 * Lines as one text for a terminal. A line that is too wide continues below itself, two columns further in; words are
 * never broken.
 */
export function fitLines(lines: readonly string[], { width }: { readonly width: number }): string {
  return lines
    .flatMap((line) => line.split('\n'))
    .flatMap((line) => {
      if (stringWidth(line) <= width) return [line];
      const indent = /^ */.exec(stripVTControlCharacters(line))?.[0] ?? '';
      const [first = '', ...rest] = wrap(line, width - indent.length - 2);
      return [indent + first, ...rest.map((part) => `${indent}  ${part}`)];
    })
    .join('\n')
    .concat('\n');
}

/** Text behind a lead. What does not fit continues below the text, or, where that is narrow, below the lead. */
export function hang(lead: string, text: string, width: number): readonly string[] {
  const taken = stringWidth(lead);
  if (width - taken >= LEAST_WIDTH || taken + stringWidth(text) <= width) {
    const [first = '', ...rest] = wrap(text, width - taken);
    return [(lead + first).trimEnd(), ...rest.map((line) => ' '.repeat(taken) + line)];
  }
  const indent = `${/^ */.exec(lead)?.[0] ?? ''}    `;
  const below = text === '' ? [] : wrap(text, width - indent.length).map((line) => indent + line);
  return [...wrapped(lead.trimEnd(), width), ...below];
}

/** Paragraphs in lines of at most `width` columns; a longer word has a line of its own. Keeps the indent. */
export function wrapped(text: string, width: number): readonly string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  return wrap(text.slice(indent.length), width - indent.length).map((line) => indent + line);
}

/** The beginning of a text that fits into one line, cut between words. */
export function oneLine(text: string, width: number): string {
  const flat = text.trimEnd().replaceAll(/\s*\n\s*/g, ' ');
  if (stringWidth(flat) <= width) return flat;
  return `${wrapped(flat, width - 2)[0] ?? ''} …`;
}

function wrap(text: string, width: number): readonly string[] {
  return wrapAnsi(text, Math.max(width, 1), { hard: false }).split('\n');
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - stringWidth(cell)));
}
