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

type Method = ESTree.MethodDefinition | ESTree.ObjectProperty;

/** A replacement of the text from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  text(): string;
}

/**
 * The text with these functions in parentheses. Methods become functions: those of an object in their place, those of a class in a
 * static block. Constructors, accessors and private methods stay as they are, as do methods that call `super`.
 */
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
    if (!isMethod) visitExpression(node);
    if (node.type === 'BlockStatement') visitStatements(node.body, node.start + 1);
    if (node.type === 'ClassBody') visitMethods(node);
    if (node.type === 'Property' && node.method) visitObjectMethod(node as ESTree.ObjectProperty);
    const hasMethod = holdsMethod(node);
    for (const [name, value] of Object.entries(node)) visit(value, hasMethod && name === 'value');
  }

  function visitExpression(node: ESTree.Node): void {
    if (node.type !== 'FunctionExpression' && node.type !== 'ArrowFunctionExpression') return;
    if (!isCalled(node, functions)) return;
    edits.push(insertion(node.start, () => '('));
    edits.push(insertion(node.end, () => ')'));
  }

  function visitObjectMethod(node: ESTree.ObjectProperty): void {
    if (!isMovable(node)) return;
    edits.push({ start: node.start, end: node.value.start, text: () => headOf(node) });
    edits.push(insertion(node.end, () => ')'));
  }

  /** Called methods are added at the beginning of their class, as the class would add them. */
  function visitMethods({ body, start }: ESTree.ClassBody): void {
    const called = body.filter(
      (node): node is ESTree.MethodDefinition =>
        node.type === 'MethodDefinition' && node.kind === 'method' && !node.static && isMovable(node),
    );
    if (called.length === 0) return;
    for (const { start, end } of called) edits.push({ start, end, text: () => '' });
    const methods = () =>
      called.map((node) => `${headOf(node)}${textOf(node.value.start, node.value.end)}),`).join(' ');
    const add = 'Object.defineProperty(this.prototype, name, { value, writable: true, configurable: true })';
    const added = () => `static { for (const [name, value] of Object.entries({ ${methods()} })) ${add}; }`;
    edits.push(insertion(start + 1, added));
  }

  /** The beginning of a method as that of a property whose value is a function. */
  function headOf({ key, value }: Method): string {
    const { async: isAsync, generator } = value as ESTree.Function;
    return `${code.slice(key.start, key.end)}: (${isAsync ? 'async ' : ''}function${generator ? '*' : ''} `;
  }

  /** Whether a method is called and means the same outside of its class or object. */
  function isMovable({ key, computed, start, value, end }: Method): boolean {
    const begin = functions.get(end);
    const isNamed = !computed && key.type !== 'PrivateIdentifier';
    return isNamed && begin !== undefined && begin >= start && begin <= value.start && !callsSuper(value);
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

/** Whether the value of a node is the function of a method or an accessor. */
function holdsMethod(node: ESTree.Node): boolean {
  return (
    node.type === 'MethodDefinition' || (node.type === 'Property' && (node.method || node.kind !== 'init'))
  );
}

/** V8 leaves `async` out. */
function isCalled({ start, end }: ESTree.Node, functions: Functions): boolean {
  const begin = functions.get(end);
  return begin !== undefined && begin >= start && begin - start <= 'async '.length;
}

/** Also in what is inside a function: a class in it has a `super` of its own, and is left as well. */
function callsSuper(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(callsSuper);
  return isNode(node) && (node.type === 'Super' || Object.values(node).some(callsSuper));
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
