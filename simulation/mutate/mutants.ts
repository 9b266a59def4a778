import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import { type Mutant, mutantOf, type Replacement } from './mutant.ts';
import { scriptMutants } from './script-mutants.ts';

const OTHER_BOUND: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
/** Times and durations: one millisecond more or less changes nothing. */
const TIMES = /\b(?:time|now|since|startedAt|\w+Ms|[A-Z_]+_MS)\b|\bDate\./;
/** A step to the second one of a pair. */
const PAIRED = /\+ 1$/;
/** What its callers never give. */
const IMPOSSIBLE = /^\{?\s*throw new (?:Range|Type)Error\(/;
/** Declares what a call reads. */
const READS = /^const .+ = await (?:\w+\.)*(?:read|find|get|has|is|last|list|look|count)\w*\(/s;
/** Calls that only report: no promise depends on them. */
const REPORTS = /^(?:await )?(?:\w+\.)*(?:log\.\w+|log\?\.\w+|onEvent\??\.?|on\w+\?\.)\(/;
/** A text that Redis runs. */
const SCRIPT = /\bredis\.call\(/;

const EXITS: readonly string[] = ['ReturnStatement', 'ThrowStatement', 'ContinueStatement'];

type Statement = ESTree.Statement | ESTree.Directive;

/** The mutants of one source. `file` is relative to the root of the project. Throws when the file does not parse. */
export function mutantsIn(file: string, text: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const found: Mutant[] = [];
  const reports: { readonly start: number; readonly end: number }[] = [];
  const add = (kind: Mutant['kind'], replacement: Replacement): void => {
    found.push(mutantOf({ file, text, language: 'typescript' }, kind, replacement));
  };
  const textOf = ({ start, end }: { readonly start: number; readonly end: number }) => text.slice(start, end);
  const decide = ({ start, end }: ESTree.Expression, ways = ['true', 'false']): void => {
    for (const after of ways) add('condition', { start, end, after });
  };
  new Visitor({
    Property({ key, value, start, end }) {
      // What a job writes to the log.
      if (key.type === 'Identifier' && key.name === 'log' && value.type !== 'Identifier')
        reports.push({ start, end });
    },
    BlockStatement: ({ body }) => inOrder(body),
    ExpressionStatement(statement) {
      if (!REPORTS.test(text.slice(statement.start, statement.end))) lose(statement);
    },
    IfStatement: ({ test, consequent }) =>
      decide(test, IMPOSSIBLE.test(textOf(consequent)) ? ['true'] : undefined),
    LogicalExpression({ left, operator, right, start, end }) {
      if (operator === '??') return;
      for (const one of [left, right])
        add('condition', { start, end, after: `(${text.slice(one.start, one.end)})` });
    },
    ConditionalExpression: ({ test }) => decide(test),
    BinaryExpression({ left, operator, right }) {
      const gap = { start: left.end, end: right.start };
      const other = OTHER_BOUND[operator];
      const isMoved = !TIMES.test(textOf(left) + textOf(right)) && !PAIRED.test(textOf(left));
      if (other !== undefined && isMoved) add('bound', { ...gap, after: ` ${other} ` });
      if ((operator === '+' || operator === '-') && right.type === 'Literal' && right.value === 1)
        add('bound', { start: left.end, end: right.end, after: '' });
    },
    TemplateLiteral({ quasis }) {
      for (const { start, end } of quasis)
        if (SCRIPT.test(text.slice(start, end))) found.push(...scriptMutants(file, text, { start, end }));
    },
  }).visit(program);
  return found.filter((one) => !reports.some(({ start, end }) => start <= one.start && one.end <= end));

  function inOrder(body: readonly Statement[]): void {
    for (const [index, statement] of body.entries()) {
      const own = text.slice(statement.start, statement.end);
      if (REPORTS.test(own)) continue;
      const following = body[index + 1];
      if (following !== undefined && canSwap(statement, following, text)) swap(statement, following);
    }
  }

  function lose({ start, end, expression }: ESTree.ExpressionStatement): void {
    const called = expression.type === 'AwaitExpression' ? expression.argument : expression;
    if (called !== expression) add('await', { start, end: called.start, after: '' });
    if (called.type === 'CallExpression') add('effect', { start, end, after: ';' });
  }

  function swap(first: Statement, second: Statement): void {
    const between = text.slice(first.end, second.start);
    const after = text.slice(second.start, second.end) + between + text.slice(first.start, first.end);
    add('swap', { start: first.start, end: second.end, after });
  }
}

/** Whether both do something, and the second one uses no name that the first one declares. The order of two checks rarely matters. */
function canSwap(first: Statement, second: Statement, text: string): boolean {
  const following = text.slice(second.start, second.end);
  const isCheck = (one: Statement) => isGuard(one, text) || READS.test(text.slice(one.start, one.end));
  if (!acts(first) || !acts(second) || (isCheck(first) && isCheck(second))) return false;
  if (REPORTS.test(following)) return false;
  const used = new Set(following.match(/\w+/g));
  return !namesOf(first).some((name) => used.has(name));
}

function acts(statement: Statement): boolean {
  if (statement.type === 'ExpressionStatement' || statement.type === 'IfStatement') return true;
  if (statement.type !== 'VariableDeclaration') return false;
  return statement.declarations.some(({ init }) => init?.type === 'AwaitExpression');
}

/** `if (…) return …`, and with statements before it that wait for nothing. */
function isGuard(statement: Statement, text: string): boolean {
  if (statement.type !== 'IfStatement') return false;
  const { consequent, start, end } = statement;
  if (EXITS.includes(consequent.type)) return true;
  const last = consequent.type === 'BlockStatement' ? consequent.body.at(-1) : undefined;
  return last !== undefined && EXITS.includes(last.type) && !text.slice(start, end).includes('await');
}

function namesOf(statement: Statement): readonly string[] {
  if (statement.type !== 'VariableDeclaration') return [];
  return statement.declarations.flatMap(({ id }) => namesIn(id));
}

function namesIn(pattern: ESTree.BindingPattern): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) =>
        namesIn(one.type === 'RestElement' ? one.argument : one.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((one) =>
        one === null ? [] : namesIn(one.type === 'RestElement' ? one.argument : one),
      );
  }
}
