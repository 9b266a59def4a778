import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type ESTree, parseSync } from 'rolldown/utils';

/** Where functions begin in the text of a file, by where they end. */
type Functions = ReadonlyMap<number, number>;

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
 * The files must not import each other in a circle: a function declaration becomes a constant at the top of its file. Throws
 * when a command fails.
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

/** The text with these functions in parentheses. Methods and declarations inside functions stay as they are. */
function withEagerFunctions(path: string, code: string, functions: Functions): string {
  const { program } = parseSync(path, code);
  const imports = program.body.filter(({ type }) => type === 'ImportDeclaration');
  const top = imports.at(-1)?.end ?? 0;
  const declarations = program.body.filter(
    (node): node is ESTree.Function => node.type === 'FunctionDeclaration' && isCalled(node, functions),
  );
  const parentheses = calledExpressions(program, functions);
  const text = (from: number, to: number) => insert(code, parentheses, from, to);
  const moved = declarations.map(({ id, start, end }) => `const ${id?.name} = (${text(start, end)});\n`);
  const starts = [...declarations.map(({ start }) => start), code.length];
  const rest = starts.map((start, at) => text(declarations[at - 1]?.end ?? top, start));
  return [code.slice(0, top), '\n', ...moved, ...rest].join('');
}

/** V8 counts the parameters of a function as its begin where it is a method, and leaves `async` out. */
function isCalled({ start, end }: ESTree.Node, functions: Functions): boolean {
  const begin = functions.get(end);
  return begin !== undefined && begin >= start && begin - start <= 'async '.length;
}

/** The places of parentheses around the function expressions that are called, in order. */
function calledExpressions(program: ESTree.Program, functions: Functions): readonly [number, string][] {
  const found: [number, string][] = [];
  const visit = (node: unknown, isMethod: boolean): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, false);
    if (!isNode(node)) return;
    const isExpression = node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
    if (isExpression && !isMethod && isCalled(node, functions))
      found.push([node.start, '('], [node.end, ')']);
    const holdsMethod =
      node.type === 'MethodDefinition' || (node.type === 'Property' && (node.method || node.kind !== 'init'));
    for (const [name, value] of Object.entries(node)) visit(value, holdsMethod && name === 'value');
  };
  visit(program, false);
  return found.sort(([left], [right]) => left - right);
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The part of the text from `from` to `to`, with what is inserted there. */
function insert(code: string, inserted: readonly [number, string][], from: number, to: number): string {
  let text = '';
  let at = from;
  for (const [place, what] of inserted) {
    if (place < from || place > to) continue;
    text += code.slice(at, place) + what;
    at = place;
  }
  return text + code.slice(at, to);
}
