import { stripVTControlCharacters, styleText } from 'node:util';
import { loadPackage } from '../model/lazily.ts';
import type { Severity } from '../model/scan/severity.ts';

/** How text for a person is laid out. */
export interface TextOptions {
  readonly colour: boolean;
  /** Columns of the terminal; `Infinity` when the text does not go to one, and lines are not wrapped. */
  readonly width: number;
  /** Whether the terminal shows links (OSC 8). */
  readonly links?: boolean;
  /** Whether everything about each finding is shown. */
  readonly verbose?: boolean;
}

/** Text is placed below the row when its column would be narrower than this. */
const LEAST_WIDTH = 24;
const GAP = '  ';

/**
 * Lines of a table with aligned columns. The last cell of a row uses the rest of the line and wraps below itself, or is
 * placed below the row when its column would be too narrow. Words are not broken. Cells are printable text and may contain
 * colours.
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
    const head = row
      .slice(0, -1)
      .map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(cell))) + GAP);
    const lead = indent + head.join('');
    return hang(lead, row.at(-1) ?? '', width);
  });
}

/** The lines as one text. A line that is wider than `width` is wrapped and indented by two columns. Words are not broken. */
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

/** Text after a lead. It wraps below its own beginning, or below the lead when that would leave a narrow column. */
export function hang(lead: string, text: string, width: number): readonly string[] {
  const leadWidth = stringWidth(lead);
  if (width - leadWidth >= LEAST_WIDTH || leadWidth + stringWidth(text) <= width) {
    const [first = '', ...rest] = wrap(text, width - leadWidth);
    return [(lead + first).trimEnd(), ...rest.map((line) => ' '.repeat(leadWidth) + line)];
  }
  const indent = `${/^ */.exec(lead)?.[0] ?? ''}    `;
  const below = text === '' ? [] : wrap(text, width - indent.length).map((line) => indent + line);
  return [...wrapped(lead.trimEnd(), width), ...below];
}

/** Paragraphs in lines of at most `width` columns, or of one longer word. Keeps the indent. */
export function wrapped(text: string, width: number): readonly string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  return wrap(text.slice(indent.length), width - indent.length).map((line) => indent + line);
}

/** More characters than this for a column are not looked at: measuring an emoji takes a tenth of a millisecond. */
const CHARACTERS_PER_COLUMN = 16;

/** The text on one line, cut between words when it is longer than `width`. */
export function oneLine(text: string, width: number): string {
  const most = CHARACTERS_PER_COLUMN * width;
  const flat = text
    .slice(0, most)
    .trimEnd()
    .replaceAll(/(?<!\s)\s*\n\s*/g, ' ');
  if (text.length <= most && stringWidth(flat) <= width) return flat;
  return `${wrapped(flat, width - 2)[0] ?? ''} …`;
}

function wrap(text: string, width: number): readonly string[] {
  if (width === Number.POSITIVE_INFINITY) return text.split('\n');
  const { default: wrapAnsi }: typeof import('wrap-ansi') = loadPackage('wrap-ansi');
  return wrapAnsi(text, Math.max(width, 1), { hard: false }).split('\n');
}

/** ASCII, and the characters of one column that tables write themselves. */
const PLAIN = /^[\x20-\x7e→›…]*$/;

/** Columns of a text. Only other text needs the library, which takes longer to load than most commands take to run. */
export function stringWidth(text: string): number {
  const shown = text.includes('\u001b') ? stripVTControlCharacters(text) : text;
  if (PLAIN.test(shown)) return shown.length;
  const { default: measure }: typeof import('string-width') = loadPackage('string-width');
  return measure(shown);
}

/** `1 change`, `2 changes`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Colours of a report; the plain palette returns the text unchanged. */
export type Palette = ReturnType<typeof palette>;

type Style = Parameters<typeof styleText>[0];

const SEVERITY_STYLES: Readonly<Record<Severity, Style>> = {
  critical: ['bold', 'red'],
  high: 'red',
  medium: 'yellow',
  low: 'blue',
  none: 'gray',
  unrated: 'magenta',
};

/** Colours when `colour` is true. The caller checks for a terminal and `NO_COLOR`. */
export function palette(colour: boolean) {
  const paint = (style: Style, text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  return {
    severity: (severity: Severity, text: string) => paint(SEVERITY_STYLES[severity], text),
    strong: (text: string) => paint('bold', text),
    faint: (text: string) => paint('gray', text),
    good: (text: string) => paint('green', text),
    bad: (text: string) => paint('red', text),
  };
}
