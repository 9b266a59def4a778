import { type Mutant, mutantOf, type Replacement, type Source } from './mutant.ts';

/** A line that only calls something: a command of Redis or a function. */
const CALL = /^\s*[\w.]+\(.*\)$/;
/** A line that only assigns to something that exists. */
const ASSIGNMENT = /^\s*[a-z]\w*(?:\.\w+|\[[^\]]+\])* = [^{]+$/;
/** The key of a command, by a fixed place. */
const NUMBERED_KEY = /\b(KEYS|keys)\[(\d)\]/;
const KEY = /KEYS\[[^\]]+\]|keys\[[^\]]+\]|lane/;
const ANY_KEY = /\b(?:KEYS|keys)\[(\d)\]/g;
const CONDITION = /^(\s*(?:else)?if )(.+) then$/;
const COMPARISON = / (<=|>=|<|>) /;
const LESS_ONE = / - 1\b/;

const OTHER_BOUND: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** A line that begins a statement. */
const STATEMENT =
  /^\s*(?:if |for |while |return |local \w+(?:, \w+)* = |[a-z]\w*(?:\.\w+|\[[^\]]+\])*(?: = |\())/;
const REACHED = /<lua> reached (\S+:\d+)/g;

/** Has a script say in the log of Redis that it comes to a place. */
export function markAt(file: string, at: number): Replacement {
  return { start: at, end: at, after: `redis.log(redis.LOG_WARNING, 'reached ${file}:${at}') ` };
}

/** The places that a log names. */
export function markedIn(log: string): readonly string[] {
  return Array.from(log.matchAll(REACHED), ([, place = '']) => place);
}

/** The mutants of a Lua script in a part of a text, which are found line by line. */
export function scriptMutants(
  file: string,
  text: string,
  part: { readonly start: number; readonly end: number },
): readonly Mutant[] {
  const source = { file, text, language: 'lua' } as const;
  const lines: { readonly start: number; readonly line: string }[] = [];
  let at = part.start;
  for (const line of text.slice(part.start, part.end).split('\n')) {
    lines.push({ start: at, line });
    at += line.length + 1;
  }
  const highest = Math.max(
    0,
    ...Array.from(text.slice(part.start, part.end).matchAll(ANY_KEY), ([, at]) => Number(at)),
  );
  return lines.flatMap((one, index) => {
    const all = [...mutantsOfLine(source, one, lines[index + 1]), ...wrongKey(source, one, highest)];
    return all.map((mutant) => ({ ...mutant, mark: STATEMENT.test(one.line) ? one.start : undefined }));
  });
}

/** Another key of the same script, where it has several. */
function wrongKey(source: Source, { start, line }: Line, highest: number): readonly Mutant[] {
  const known = NUMBERED_KEY.exec(line);
  if (known === null || highest < 2) return [];
  const [all, array = '', number = ''] = known;
  const other = Number(number) < highest ? Number(number) + 1 : Number(number) - 1;
  const from = start + known.index;
  return [mutantOf(source, 'key', { start: from, end: from + all.length, after: `${array}[${other}]` })];
}

interface Line {
  readonly start: number;
  readonly line: string;
}

function mutantsOfLine(source: Source, { start, line }: Line, following: Line | undefined) {
  const found: Mutant[] = [];
  const add = (kind: Mutant['kind'], replacement: Replacement): void => {
    found.push(mutantOf(source, kind, replacement));
  };
  const indent = line.length - line.trimStart().length;
  if (ASSIGNMENT.test(line)) add('effect', { start: start + indent, end: start + line.length, after: '' });
  if (CALL.test(line)) {
    add('effect', { start: start + indent, end: start + line.length, after: '' });
    if (following !== undefined && CALL.test(following.line) && keyOf(line) === keyOf(following.line)) {
      const end = following.start + following.line.length;
      const both = `${following.line}\n${line}`.slice(indent);
      add('swap', { start: start + indent, end, after: both });
    }
  }
  const [, before = '', condition] = CONDITION.exec(line) ?? [];
  if (condition !== undefined) {
    const from = start + before.length;
    for (const after of ['true', 'false'])
      add('condition', { start: from, end: from + condition.length, after });
  }
  const comparison = COMPARISON.exec(line);
  if (comparison !== null) {
    const from = start + comparison.index + 1;
    const [, sign = ''] = comparison;
    add('bound', { start: from, end: from + sign.length, after: OTHER_BOUND[sign] ?? '' });
  }
  const less = LESS_ONE.exec(line);
  if (less !== null) add('bound', { start: start + less.index, end: start + less.index + 4, after: '' });
  return found;
}

/** The key of a command. A script is one step, so the order of commands on different keys does not matter. */
function keyOf(line: string): string | undefined {
  return KEY.exec(line)?.[0];
}
