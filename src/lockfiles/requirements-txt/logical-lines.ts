/** A line after joining continued lines and removing comments, as pip does. */
export interface LogicalLine {
  /** 1-based line of its beginning. */
  readonly line: number;
  readonly text: string;
}

const COMMENT = /(?:^|\s)#.*$/s;
const INCLUDE = /^(?:-[rc](?:\s*=\s*|\s*)|--(?:requirement|constraint)s?(?:\s*=\s*|\s+))(\S.*)$/;

/** Joins lines that end in a backslash. A comment line ends the logical line, even with a backslash at its end. */
export function logicalLines(text: string): readonly LogicalLine[] {
  const found: LogicalLine[] = [];
  let joined = '';
  let start = 0;
  const end = (line: number): void => {
    const statement = joined.replace(COMMENT, '').trim();
    if (statement !== '') found.push({ line: start === 0 ? line : start, text: statement });
    joined = '';
    start = 0;
  };
  for (const { line, text: raw } of rawLines(text)) {
    if (start === 0 && raw.trim() !== '') start = line;
    const isComment = /^\s*#/.test(raw);
    if (raw.endsWith('\\') && !isComment) {
      joined += raw.slice(0, -1);
      continue;
    }
    joined += isComment ? ` ${raw}` : raw;
    end(line);
  }
  end(start);
  return found;
}

/** Characters that end a line, and therefore a comment, in Python but not in editors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const SEPARATORS = /[\v\f\x1c-\x1e\x85\u2028\u2029]/;

function rawLines(text: string): readonly LogicalLine[] {
  return text
    .split(/\r\n|\r|\n/)
    .flatMap((row, index) => row.split(SEPARATORS).map((part) => ({ line: index + 1, text: part })));
}

interface Include {
  readonly path: string;
  /** A constraint limits the versions of requirements and is not a requirement itself. */
  readonly isConstraint: boolean;
}

/** The file that a line includes. */
export function includeOf(text: string): Include | undefined {
  const path = INCLUDE.exec(text)?.[1];
  if (path === undefined) return undefined;
  return { path: path.replace(/^(["'])(.*)\1$/, '$2'), isConstraint: /^(?:-c|--constraint)/.test(text) };
}

/** Paths of the files that a requirements file includes. */
export function includedPaths(text: string): readonly string[] {
  return logicalLines(text).flatMap((line) => includeOf(line.text)?.path ?? []);
}
