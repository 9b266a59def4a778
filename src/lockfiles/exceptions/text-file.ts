import type { Exception } from '../../model/scan/exception.ts';
import { withoutSecrets } from '../packages/sources.ts';

/** An entry as its reader returns it. */
export type StatedException = Omit<Exception, 'path' | 'since' | 'author' | 'proof'>;

/** Reads the exceptions of a file; `path` is for messages. Throws `LockfileError` for a text that is not of its format. */
export type ExceptionReader = (file: {
  readonly path: string;
  readonly text: string;
}) => readonly StatedException[];

/**
 * Entries of a file that is a tree: what they are, in what form (`names`: a list of texts or tables; `pins`: a mapping, which may nest; `age`: a
 * duration; `url`), and where, with `*` for each member. `unit`: minutes of an age without a unit.
 */
export type Rule = readonly [
  kind: StatedException['kind'],
  form: 'names' | 'pins' | 'age' | 'url',
  at: string,
  unit?: number,
];

export interface Tree {
  readonly syntax: 'json' | 'yaml' | 'toml';
  readonly ecosystem: string | undefined;
  readonly rules: readonly Rule[];
}

type Part = 'ecosystem' | 'package' | 'range' | 'advisory' | 'value' | 'reason' | 'until';

/** Parts of an entry, before its line and its comment are looked for. */
export interface EntryParts
  extends Pick<StatedException, 'kind' | 'setting' | 'subject'>,
    Partial<Record<Part, string | undefined>> {
  /** The text that is looked for. Default: the subject. */
  readonly token?: string;
}

/** Lines of 64 characters that are looked at for all entries of a file. After them, entries have no line. */
const MAX_LOOKS = 5_000_000;
const MAX_CHARACTERS = 300;
const MAX_COMMENT_LINES = 6;
/** A comment, by what begins it; alone in its line, or behind an entry. */
const COMMENTS = { '#': /(?:^|\s)#/, '//': /(?:^|\s)\/\// };
/** A setting that is commented out may have a secret. */
const CREDENTIAL = /token|secret|passw|_auth|authident|api_?key/i;

/**
 * Adds lines and comments to the entries of a file, which are asked for in the order of the file. `block` goes to the next line with a text,
 * and `section` to the setting `a.b` after it. Takes time in proportion to the text, for each entry that is not found.
 */
export function entryFinder(text: string, comments: keyof typeof COMMENTS | 'none' = '#') {
  const lines = text.split('\n');
  let looks = 0;
  const isComment = (line: string) => comments !== 'none' && line.trimStart().startsWith(comments);
  let [at, block, last] = [0, -1, ''];
  const find = (token: string, from: number): number | undefined => {
    for (let index = from; index < lines.length && looks < MAX_LOOKS; index += 1) {
      const line = lines[index] ?? '';
      looks += 1 + line.length / 64;
      if (isNamedIn(line, token) && !isComment(line)) return index;
    }
    return undefined;
  };
  /** The comment at the end of a line, or else in the lines directly above it. */
  const commentAt = (index: number, kind: keyof typeof COMMENTS): string => {
    const textAt = (at: number) => {
      const line = (lines[at] ?? '').slice(0, 4 * MAX_CHARACTERS);
      const found = COMMENTS[kind].exec(line)?.index;
      return found === undefined ? '' : line.slice(found).replace(/^[\s#/]+/, '');
    };
    let first = index;
    while (first > 0 && index - first < MAX_COMMENT_LINES && isComment(lines[first - 1] ?? '')) first -= 1;
    const above = lines.slice(first, index).map((_, offset) => textAt(first + offset));
    const comment = textAt(index) || above.join(' ').trim();
    return CREDENTIAL.test(comment) ? '' : comment;
  };
  return {
    block(token: string): void {
      at = block = find(token, block + 1) ?? block;
    },
    section(setting: string): void {
      at = Math.max(0, block);
      last = '';
      const whole = find(setting, at);
      for (const token of whole === undefined ? setting.split('.') : []) at = find(token, at) ?? at;
      at = whole ?? at;
    },
    entry({ token, kind, setting, subject, ...parts }: EntryParts): StatedException {
      const named = token ?? subject;
      const found = find(named, named === last ? at + 1 : at);
      [at, last] = [found ?? at, named];
      const reason =
        parts.reason || (found === undefined || comments === 'none' ? '' : commentAt(found, comments));
      const stated = Object.entries({ ...parts, reason }).filter(([, value]) => value);
      return {
        ...{ kind, setting, subject: shown(subject) },
        ...(found === undefined ? {} : { line: found + 1 }),
        ...(Object.fromEntries(stated.map(([name, value = '']) => [name, shown(value)])) as Partial<
          Record<Part, string>
        >),
      };
    },
  };
}

export type EntryFinder = ReturnType<typeof entryFinder>;

/** Credentials in a file of another tool, or in a URL that is cut before its host. */
const MISPLACED =
  /((?:token|secret|password|_auth)["']?\s*[=:]|:\/\/[^\s/:@[]+:(?!\d+(?:\/|$)))\s*[^\s/@,]+/gi;

/** A text of a file without credentials and control characters, of limited length. */
export function shown(text: string): string {
  const cleared = withoutSecrets(text.slice(0, 4 * MAX_CHARACTERS)).replace(MISPLACED, '$1');
  const clean = cleared.replace(/\p{Cc}+/gu, ' ');
  return clean.trim().slice(0, MAX_CHARACTERS);
}

/** Whether a line has a text as a name of its own, and not as a part of another one. */
function isNamedIn(line: string, token: string): boolean {
  const isName = (character = ' ') => /[\w@/.*-]/.test(character);
  for (let at = token === '' ? -1 : line.indexOf(token); at >= 0; at = line.indexOf(token, at + 1)) {
    const [before, after] = [line[at - 1], line[at + token.length]];
    if (!(isName(token[0]) && isName(before)) && !(isName(token.at(-1)) && isName(after))) return true;
  }
  return false;
}
