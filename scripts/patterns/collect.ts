import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';

/** A regular expression and where it is. */
export interface FoundPattern {
  /** `file:line`, 1-based. */
  readonly place: string;
  readonly pattern: string;
  /** As written, and with `g` for an argument of `split`, which searches on behind each match. */
  readonly flags: string;
}

/** A regular expression that is built while the program runs. */
export interface BuiltPattern {
  readonly file: string;
  readonly place: string;
}

const SOURCE = /\.[jt]sx?$/;

/** All files with code in `folders`, which are relative to `root`. */
export function codeFiles(root: string, folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => SOURCE.test(name) && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  );
}

/** The regular expressions of one file. Throws when the file does not parse. */
export function patternsOf(
  file: string,
  text: string,
): { readonly found: readonly FoundPattern[]; readonly built: readonly BuiltPattern[] } {
  const { program, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const found: FoundPattern[] = [];
  const built: BuiltPattern[] = [];
  const split = new Set<unknown>();
  const place = (start: number) => `${file}:${text.slice(0, start).split('\n').length}`;
  const add = (source: string, flags: string, start: number, isSplit: boolean) =>
    found.push({
      place: place(start),
      pattern: source,
      flags: isSplit && !flags.includes('g') ? `${flags}g` : flags,
    });
  const call = (node: ESTree.CallExpression | ESTree.NewExpression) => {
    const { callee, arguments: given } = node;
    if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier') {
      if (callee.property.name === 'split') split.add(given[0]);
    }
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    const [source, flags] = given.map((one) => (one.type === 'Literal' ? one.value : undefined));
    if (typeof source === 'string') add(source, typeof flags === 'string' ? flags : '', node.start, false);
    else built.push({ file, place: place(node.start) });
  };
  new Visitor({
    CallExpression: call,
    NewExpression: call,
    Literal(node) {
      if ('regex' in node) add(node.regex.pattern, node.regex.flags, node.start, split.has(node));
    },
  }).visit(program);
  return { found, built };
}

/** The regular expressions of all files. */
export function collectPatterns(root: string, files: readonly string[]) {
  const all = files.map((file) => patternsOf(file, readFileSync(join(root, file), 'utf8')));
  return { found: all.flatMap(({ found }) => found), built: all.flatMap(({ built }) => built) };
}

/** The values of `pattern` anywhere in a description document. */
export function documentPatterns(file: string, document: unknown): readonly FoundPattern[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([key, value]) =>
    key === 'pattern' && typeof value === 'string'
      ? [{ place: file, pattern: value, flags: 'u' }]
      : documentPatterns(file, value),
  );
}
