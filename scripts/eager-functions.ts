import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type ESTree, parseSync } from 'rolldown/utils';

/** Where functions begin in the text of a file, by where they end. */
export type Functions = ReadonlyMap<number, number>;

/** What V8 writes for `NODE_V8_COVERAGE`, as far as it is read. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly {
        readonly startOffset: number;
        readonly endOffset: number;
        readonly count: number;
      }[];
    }[];
  }[];
}

/**
 * Rewrites the bundled files in `folder` so that V8 compiles the functions that `commands` call together with their file. Node
 * writes its compile cache before a file runs: functions that are compiled when they are called are not in it, and are
 * compiled again by every process. V8 compiles a function in parentheses at once.
 *
 * The files must not import each other in a circle, because a declared function becomes a constant (`build.ts` checks it). Throws when a
 * command fails.
 */
export function compileCalledFunctions(folder: string, commands: readonly (readonly string[])[]): void {
  for (const [file, functions] of calledFunctions(join(folder, 'cli.js'), commands)) {
    const path = join(folder, file);
    writeFileSync(path, withEagerFunctions(path, readFileSync(path, 'utf8'), functions));
  }
}

/** The functions that the commands call, by the name of their file. */
function calledFunctions(
  cli: string,
  commands: readonly (readonly string[])[],
): ReadonlyMap<string, Functions> {
  const folder = mkdtempSync(join(tmpdir(), 'called-functions-'));
  const called = new Map<string, Map<number, number>>();
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    for (const command of commands) execFileSync(process.execPath, [cli, ...command], { env, stdio: 'pipe' });
    for (const name of readdirSync(folder)) {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage;
      for (const { url, functions } of result) {
        if (!url.includes('/dist/bundle/')) continue;
        const found = called.get(basename(url)) ?? new Map<number, number>();
        called.set(basename(url), found);
        for (const { ranges } of functions) {
          const [whole] = ranges;
          if (whole !== undefined && whole.count > 0) found.set(whole.endOffset, whole.startOffset);
        }
      }
    }
    return called;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A replacement of the text from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  text(): string;
}

/** The text with these functions in parentheses. Methods stay as they are. */
export function withEagerFunctions(path: string, code: string, functions: Functions): string {
  const { program } = parseSync(path, code);
  const edits: Edit[] = [];
  const imports = program.body.filter(({ type }) => type === 'ImportDeclaration');
  visitStatements(program.body, imports.at(-1)?.end ?? 0);
  visit(program, false);
  edits.sort((left, right) => left.start - right.start);
  return textOf(0, code.length);

  function visit(node: unknown, isMethod: boolean): void {
    if (Array.isArray(node)) for (const item of node) visit(item, false);
    if (!isNode(node)) return;
    const isExpression = node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
    if (isExpression && !isMethod && isCalled(node, functions)) {
      edits.push(
        insertion(node.start, () => '('),
        insertion(node.end, () => ')'),
      );
    }
    if (node.type === 'BlockStatement') visitStatements(node.body, node.start + 1);
    const holdsMethod =
      node.type === 'MethodDefinition' || (node.type === 'Property' && (node.method || node.kind !== 'init'));
    for (const [name, value] of Object.entries(node)) visit(value, holdsMethod && name === 'value');
  }

  /** Declared functions become constants at the beginning of their block, `top`. */
  function visitStatements(statements: readonly ESTree.Node[], top: number): void {
    const called = statements.filter(
      (node): node is ESTree.Function => node.type === 'FunctionDeclaration' && isCalled(node, functions),
    );
    if (called.length === 0) return;
    for (const { start, end } of called) edits.push({ start, end, text: () => '' });
    const constants = () =>
      called.map(({ id, start, end }) => `\nconst ${id?.name} = (${textOf(start + 1, end, code[start])});`);
    edits.push(insertion(top, () => constants().join('')));
  }

  /** The edited text from `from` to `to`. */
  function textOf(from: number, to: number, before = ''): string {
    let text = before;
    let at = from;
    for (const edit of edits) {
      if (edit.start < at || edit.end > to) continue;
      text += code.slice(at, edit.start) + edit.text();
      at = edit.end;
    }
    return text + code.slice(at, to);
  }
}

function insertion(at: number, text: () => string): Edit {
  return { start: at, end: at, text };
}

/** V8 leaves `async` out. */
function isCalled({ start, end }: ESTree.Node, functions: Functions): boolean {
  const begin = functions.get(end);
  return begin !== undefined && begin >= start && begin - start <= 'async '.length;
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
