import { columns, hang, stringWidth, wrapped } from '../../report/layout.ts';

const INDENT = '  ';
const BELOW = '      ';
/** Columns that a text beside an example needs. */
const LEAST_BESIDE = 28;

/**
 * Returns the text that a command adds to its help, in lines of at most `width` columns. Sentences are wrapped, and the explanation of an
 * example stands beside or below it. A longer command is continued as shells read it.
 */
export function helpText(text: string, width: number): string {
  const blocks: string[][] = [];
  let kind = '';
  for (const line of text.split('\n')) {
    const own = line.startsWith(INDENT) ? 'example' : line === '' ? 'empty' : 'sentence';
    // A sentence goes on in the next line of the source.
    const last = blocks.at(-1);
    if (own === kind && own === 'sentence' && last !== undefined && !/[.:]$/.test(last.at(-1) ?? ''))
      last.push(`${last.pop()} ${line}`);
    else if (own === kind && last !== undefined) last.push(line);
    else blocks.push([line]);
    kind = own;
  }
  return blocks.flatMap((lines) => blockLines(lines, width)).join('\n');
}

function blockLines(lines: readonly string[], width: number): readonly string[] {
  if (lines.every((line) => stringWidth(line) <= width)) return lines;
  if (!lines[0]?.startsWith(INDENT)) return lines.flatMap((line) => wrapped(line, width));
  const rows = lines.map((line) => {
    const [typed = '', ...does] = line.trim().split(/ {2,}/);
    return { typed, does: does.join(' ') };
  });
  const widest = Math.max(...rows.map(({ typed }) => stringWidth(typed)));
  if (INDENT.length + widest + LEAST_BESIDE <= width)
    return columns(
      rows.map(({ typed, does }) => [typed, does]),
      { width, indent: INDENT },
    );
  return rows.flatMap(({ typed, does }) => [
    ...continued(typed, width),
    ...(does === '' ? [] : hang(BELOW, does, width)),
  ]);
}

/** A command in lines that a shell joins: options begin the lines. */
function continued(typed: string, width: number): readonly string[] {
  const [first = '', ...options] = typed.split(/ (?=--\w)/);
  const lines = [INDENT + first];
  for (const option of options) {
    const joined = `${lines.at(-1)} ${option}`;
    // The last line has no backslash after it, which is not known yet.
    if (stringWidth(joined) + 2 <= width) lines.splice(-1, 1, joined);
    else lines.push(`${INDENT}  ${option}`);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}
