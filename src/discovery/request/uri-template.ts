import { DiscoveryError } from '../errors.ts';

/** A variable's value: text, a list, or pairs. Numbers and booleans are written as text. */
export type TemplateValue =
  | TemplateScalar
  | readonly TemplateScalar[]
  | Readonly<Record<string, TemplateScalar>>;
type TemplateScalar = string | number | boolean | null | undefined;

/** How an operator expands (RFC 6570, appendix A). */
interface Operator {
  readonly first: string;
  readonly separator: string;
  readonly named: boolean;
  readonly ifEmpty: string;
  readonly reserved: boolean;
}

interface Variable {
  readonly name: string;
  readonly explode: boolean;
  readonly prefix: number | undefined;
}

type Part = string | { readonly operator: Operator; readonly variables: readonly Variable[] };

const SIMPLE: Operator = { first: '', separator: ',', named: false, ifEmpty: '', reserved: false };
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['+', { ...SIMPLE, reserved: true }],
  ['#', { ...SIMPLE, first: '#', reserved: true }],
  ['.', { ...SIMPLE, first: '.', separator: '.' }],
  ['/', { ...SIMPLE, first: '/', separator: '/' }],
  [';', { ...SIMPLE, first: ';', separator: ';', named: true }],
  ['?', { ...SIMPLE, first: '?', separator: '&', named: true, ifEmpty: '=' }],
  ['&', { ...SIMPLE, first: '&', separator: '&', named: true, ifEmpty: '=' }],
]);

const VARIABLE = /^((?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*)(?:(\*)|:([1-9]\d{0,3}))?$/;

/**
 * Expands an RFC 6570 template, all four levels. A variable without a value expands to nothing. Throws
 * `DiscoveryError` (`invalid-template`) for a malformed template or a prefix of a list or of pairs.
 */
export function expandUriTemplate(template: string, lookUp: (name: string) => TemplateValue): string {
  let result = '';
  for (const part of partsOf(template)) {
    result += typeof part === 'string' ? encodeReserved(part) : expand(template, part, lookUp);
  }
  return result;
}

/** Names of a template's variables, in order. */
export function templateVariables(template: string): readonly string[] {
  return partsOf(template).flatMap((part) =>
    typeof part === 'string' ? [] : part.variables.map((variable) => variable.name),
  );
}

function partsOf(template: string): readonly Part[] {
  return template.split(/(\{[^{}]*\})/).map((piece) => {
    if (piece.startsWith('{') && piece.endsWith('}')) return parseExpression(template, piece.slice(1, -1));
    if (/[{}]/.test(piece)) throw malformed(template, 'unbalanced braces');
    return piece;
  });
}

function parseExpression(template: string, expression: string): Part {
  const operator = OPERATORS.get(expression.charAt(0));
  const list = operator === undefined ? expression : expression.slice(1);
  const variables = list.split(',').map((text) => {
    const match = VARIABLE.exec(text);
    if (match === null) throw malformed(template, `{${expression}} is not an expression`);
    const [, name = '', explode, prefix] = match;
    return {
      name,
      explode: explode !== undefined,
      prefix: prefix === undefined ? undefined : Number(prefix),
    };
  });
  return { operator: operator ?? SIMPLE, variables };
}

function expand(
  template: string,
  { operator, variables }: Exclude<Part, string>,
  lookUp: (name: string) => TemplateValue,
): string {
  const pieces: string[] = [];
  for (const variable of variables) {
    const value = lookUp(variable.name);
    if (value === undefined || value === null) continue;
    if (typeof value !== 'object') {
      pieces.push(named(operator, variable.name, encodeScalar(operator, value, variable.prefix)));
      continue;
    }
    if (variable.prefix !== undefined)
      throw malformed(template, `${variable.name} is not text and has no prefix`);
    pieces.push(...expandComposite(operator, variable, value));
  }
  return pieces.length === 0 ? '' : operator.first + pieces.join(operator.separator);
}

function expandComposite(
  operator: Operator,
  variable: Variable,
  value: Exclude<TemplateValue, TemplateScalar>,
): string[] {
  const encode = (scalar: TemplateScalar) => encodeScalar(operator, scalar, undefined);
  if (isList(value)) {
    const items = value.filter(isDefined).map(encode);
    if (items.length === 0) return [];
    if (!variable.explode) return [named(operator, variable.name, items.join(','))];
    return items.map((item) => named(operator, variable.name, item));
  }
  const pairs = Object.entries(value).filter(([, item]) => isDefined(item));
  if (pairs.length === 0) return [];
  if (!variable.explode) {
    return [
      named(operator, variable.name, pairs.map(([key, item]) => `${encode(key)},${encode(item)}`).join(',')),
    ];
  }
  return pairs.map(([key, item]) =>
    operator.named ? named(operator, encode(key), encode(item)) : `${encode(key)}=${encode(item)}`,
  );
}

function isList(value: Exclude<TemplateValue, TemplateScalar>): value is readonly TemplateScalar[] {
  return Array.isArray(value);
}

function isDefined(value: TemplateScalar): boolean {
  return value !== undefined && value !== null;
}

function named(operator: Operator, name: string, encoded: string): string {
  if (!operator.named) return encoded;
  return encoded === '' ? name + operator.ifEmpty : `${name}=${encoded}`;
}

function encodeScalar(operator: Operator, value: TemplateScalar, prefix: number | undefined): string {
  const whole = String(value);
  // The prefix counts characters, not UTF-16 units (section 2.4.1).
  const text = prefix === undefined ? whole : [...whole].slice(0, prefix).join('');
  return operator.reserved ? encodeReserved(text) : encodeUnreserved(text);
}

/** Percent-encodes everything but RFC 3986 unreserved characters. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Keeps reserved characters and percent-encoded triplets (section 3.2.3). */
function encodeReserved(text: string): string {
  return encodeURI(text.toWellFormed())
    .replace(/%5B/g, '[')
    .replace(/%5D/g, ']')
    .replace(/%25([\dA-Fa-f]{2})/g, '%$1');
}

function malformed(template: string, reason: string): DiscoveryError {
  return new DiscoveryError('invalid-template', `URI template ${template}: ${reason}`);
}
