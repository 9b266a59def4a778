import type { LockfileInput } from '../format.ts';
import { type CodeUnits, unitsOf } from './decode-text.ts';
import { UnknownLayout } from './unknown-layout.ts';

/** Selects the values of a JSON text whose lines are needed. Without members and `each`, the value itself only. */
export interface Wanted {
  readonly members?: Readonly<Record<string, Wanted>>;
  /** The wanted parts of all other members, and of all elements that are objects. */
  readonly each?: Wanted;
}

/** The position of a selected value. */
export interface LineNode {
  /** 1-based line of its key, or of its brace where it has no key. */
  readonly line: number;
  /** The members by key. When a key is repeated, the last member counts, as in JSON.parse. */
  members: Map<string, LineNode> | undefined;
  /** The elements that are objects, in their order. */
  elements: LineNode[] | undefined;
}

export type JsonInput = Pick<LockfileInput, 'text' | 'bytes' | 'onePassOnly'>;

/** Text that nests deeper gets no lines: recursion is limited by the stack. */
const MAX_DEPTH = 1_000;
/** A file of 8 MiB that a package manager writes costs less: 1 for a comma, and `NODE_COST` for an object, a list or a selected member. */
const MAX_COST = 400_000;
const NODE_COST = 3;

const [NEWLINE, SPACE, QUOTE, COMMA, COLON] = [10, 32, 34, 44, 58];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [91, 92, 93, 123, 125];

/**
 * Returns the lines of the selected values of a JSON text; `undefined` where anything nests too deep. It checks only as much of
 * the text as it needs: the result for invalid JSON means nothing. Throws `UnknownLayout` for more objects and lists than
 * `onePassOnly` allows.
 */
export function lineNodes(input: JsonInput, wanted: Wanted): LineNode | undefined {
  const root = newNode(1);
  return new LineScanner(input).visit(root, wanted, 0) ? root : undefined;
}

/** Walks over JSON text without parsing it. Its methods return `false` at text that nests too deep or is not JSON. */
class LineScanner {
  readonly #text: string;
  /** The code units as numbers: access is much faster than in a string. */
  readonly #units: CodeUnits;
  // Not `#` fields: each write of one is a call until V8 optimizes the function fully, which a short command does not reach.
  private at = 0;
  private line = 1;
  private mayCost: number;

  constructor({ text, bytes, onePassOnly = false }: JsonInput) {
    this.#text = text;
    this.#units = bytes ?? unitsOf(text);
    this.mayCost = onePassOnly ? MAX_COST : Number.POSITIVE_INFINITY;
  }

  /** Passes a value and adds the selected values in it to its node. */
  visit(node: LineNode, { members, each }: Wanted, depth: number): boolean {
    const code = this.#peek();
    const isObject = code === OPEN && (members !== undefined || each !== undefined);
    if (!isObject && (code !== OPEN_LIST || each === undefined)) return this.#skip(code);
    if (depth >= MAX_DEPTH) return false;
    this.at += 1;
    this.#pay(NODE_COST);
    if (isObject) return this.#visitMembers(node, members, each, depth + 1);
    return this.#visitElements(node, each ?? {}, depth + 1);
  }

  #visitMembers(node: LineNode, members: Wanted['members'], each: Wanted['each'], depth: number): boolean {
    for (let code = this.#next(); code !== CLOSE; code = this.#next()) {
      if (code !== QUOTE) return false;
      const { line } = this;
      const key = this.#key();
      if (this.#peek() !== COLON) return false;
      this.at += 1;
      const wanted = members !== undefined && Object.hasOwn(members, key) ? members[key] : each;
      if (wanted !== undefined) {
        this.#pay(NODE_COST);
        const member = newNode(line);
        node.members ??= new Map();
        node.members.set(key, member);
        if (!this.visit(member, wanted, depth)) return false;
      } else if (!this.#skip(this.#peek())) return false;
    }
    this.at += 1;
    return true;
  }

  #visitElements(node: LineNode, each: Wanted, depth: number): boolean {
    for (let code = this.#next(); code !== CLOSE_LIST; code = this.#next()) {
      if (code === OPEN) {
        const element = newNode(this.line);
        node.elements ??= [];
        node.elements.push(element);
        if (!this.visit(element, each, depth)) return false;
      } else if (!this.#skip(code)) return false;
    }
    this.at += 1;
    return true;
  }

  #pay(cost: number): void {
    this.mayCost -= cost;
    if (this.mayCost < 0) throw new UnknownLayout(`line ${this.line}`);
  }

  /** Moves to the next token and returns its first code unit; 0 at the end. */
  #peek(): number {
    const units = this.#units;
    let at = this.at;
    let code = units[at] ?? 0;
    while (code <= SPACE && at < this.#text.length) {
      if (code === NEWLINE) this.line += 1;
      at += 1;
      code = units[at] ?? 0;
    }
    this.at = at;
    return code;
  }

  /** Moves past a comma to the next member or element. */
  #next(): number {
    const code = this.#peek();
    if (code !== COMMA) return code;
    this.at += 1;
    this.#pay(1);
    return this.#peek();
  }

  /** Passes and returns a key. */
  #key(): string {
    const start = this.at;
    this.at = endOfString(this.#units, start, this.#text.length) + 1;
    const key = this.#text.slice(start + 1, this.at - 1);
    return key.includes('\\') ? unescaped(key) : key;
  }

  /** Passes any value. `code` is its first code unit. */
  #skip(code: number): boolean {
    const units = this.#units;
    const { length } = this.#text;
    let { line, at } = this;
    let depth = 0;
    if (code !== QUOTE && code !== OPEN && code !== OPEN_LIST) return this.#skipScalar();
    do {
      const unit = units[at] ?? 0;
      if (unit === QUOTE) at = endOfString(units, at, length);
      else if (unit === NEWLINE) line += 1;
      else if (unit === OPEN || unit === OPEN_LIST) {
        depth += 1;
        this.mayCost -= NODE_COST;
        if (depth > MAX_DEPTH) return false;
      } else if (unit === COMMA) this.mayCost -= 1;
      else if (unit === CLOSE || unit === CLOSE_LIST) depth -= 1;
      at += 1;
    } while (depth > 0 && at < length);
    this.at = at;
    this.line = line;
    this.#pay(0);
    return true;
  }

  /** Passes a number, `true`, `false` or `null`. */
  #skipScalar(): boolean {
    SCALAR.lastIndex = this.at;
    if (!SCALAR.test(this.#text)) return false;
    this.at = SCALAR.lastIndex;
    return true;
  }
}

const SCALAR = /[\w.+-]+/y;

/** Position of the closing quote of a string, or the end of the text. */
export function endOfString(units: CodeUnits, start: number, length: number): number {
  let at = start + 1;
  while (at < length && units[at] !== QUOTE) at += units[at] === BACKSLASH ? 2 : 1;
  return Math.min(at, length);
}

/** A key with escapes; of invalid JSON, as it is written. */
function unescaped(key: string): string {
  try {
    return JSON.parse(`"${key}"`) as string;
  } catch {
    return key;
  }
}

/** A node of a line, without selected parts. */
export function newNode(line: number): LineNode {
  return { line, members: undefined, elements: undefined };
}
