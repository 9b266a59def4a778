import type { LockfileInput } from '../format.ts';
import { type CodeUnits, unitsOf } from './code-units.ts';
import type { KeySet } from './key-set.ts';
import { UnknownLayout } from './unknown-layout.ts';

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA, MINUS] = [9, 10, 13, 32, 34, 44, 45];
const [COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [58, 91, 92, 93, 123, 125];
/** By UTF-16 code unit: 1 where a string may contain it unescaped. */
const PLAIN = new Uint8Array(65_536).fill(1, SPACE);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;
/** By code unit: how it changes the depth outside strings. */
const NESTING = new Int8Array(128);
NESTING[OPEN] = 1;
NESTING[OPEN_LIST] = 1;
NESTING[CLOSE] = -1;
NESTING[CLOSE_LIST] = -1;
/** Deeper than any tool nests. */
const MAX_DEPTH = 100;
/** A file of 8 MiB that a package manager writes has fewer objects and lists. */
const MAX_ENTERED = 100_000;

export type JsonInput = Pick<LockfileInput, 'text' | 'bytes' | 'onePassOnly'>;

interface CursorOptions<Key> {
  readonly commasMayTrail?: boolean;
  readonly maxDepth?: number;
  /** Whether to throw for more objects and lists than are to be read in one pass. */
  readonly isLimited?: boolean | undefined;
  /** As in `Decoded`. */
  readonly bytes?: Uint8Array | undefined;
  /** Returns what stands for a key, the same for equal keys. Default: the key. */
  readonly keyOf?: (key: string) => Key;
}

/**
 * Walks over JSON text value by value, for readers that need few of many members. It checks everything that it passes:
 * text that it accepts is JSON, apart from trailing commas where these are allowed. Throws `UnknownLayout`.
 */
export class JsonCursor<Key = string> {
  readonly text: string;
  /** 1-based line of the next token, after `peek`. */
  line = 1;
  /** Start and end of the last string passed, without its quotes. */
  start = 0;
  end = 0;
  // Not `#` fields: each write of one is a call until V8 optimizes the function fully, which a short command does not reach.
  private at = 0;
  private isEscaped = false;
  private depth = 0;
  /** The code units as numbers: access is much faster than in a string. */
  readonly #units: CodeUnits;
  readonly #commasMayTrail: boolean;
  readonly #maxDepth: number;

  /** The keys of the object that is read. */
  readonly #keys: Key[] = [];
  readonly #keyOf: (key: string) => Key;
  /** The number of objects and lists that may still be entered. */
  private mayEnter: number;

  constructor(
    text: string,
    {
      commasMayTrail = false,
      maxDepth = MAX_DEPTH,
      isLimited = false,
      bytes,
      keyOf = (key) => key as Key,
    }: CursorOptions<Key> = {},
  ) {
    this.text = text;
    this.mayEnter = isLimited ? MAX_ENTERED : Number.POSITIVE_INFINITY;
    this.#units = bytes ?? unitsOf(text);
    this.#commasMayTrail = commasMayTrail;
    this.#maxDepth = maxDepth;
    this.#keyOf = keyOf;
  }

  /** Moves to the next token and returns its first code unit; 0 at the end. */
  peek(): number {
    const units = this.#units;
    let at = this.at;
    let code = units[at] ?? 0;
    while (code <= SPACE) {
      if (code === NEWLINE) this.line += 1;
      else if (code !== SPACE && code !== RETURN && code !== TAB) break;
      at += 1;
      while (units[at] === SPACE) at += 1;
      code = units[at] ?? 0;
    }
    this.at = at;
    return code;
  }

  /** Enters an object, which must come next. Returns `false` when it is empty. */
  enterObject(): boolean {
    return this.#enter(OPEN, CLOSE);
  }

  /** Passes the key of a member and its colon. Returns the line of the key. */
  passKey(): number {
    this.#expect(QUOTE);
    const { line } = this;
    this.#passString();
    if (this.#units[this.at] !== COLON) this.#expect(COLON);
    this.at += 1;
    return line;
  }

  /** Moves past the value of a member. Returns `true` when another member follows, `false` when the object ends. */
  nextMember(): boolean {
    return this.#next(CLOSE);
  }

  /** Enters a list, which must come next. Returns `false` when it is empty. */
  enterList(): boolean {
    return this.#enter(OPEN_LIST, CLOSE_LIST);
  }

  /** Moves past an element. Returns `true` when another follows, `false` when the list ends. */
  nextElement(): boolean {
    return this.#next(CLOSE_LIST);
  }

  isTextNext(): boolean {
    return this.peek() === QUOTE;
  }

  isObjectNext(): boolean {
    return this.peek() === OPEN;
  }

  isListNext(): boolean {
    return this.peek() === OPEN_LIST;
  }

  /** Passes and returns a string, which must come next. */
  nextText(): string {
    this.#expect(QUOTE);
    this.#passString();
    return this.lastText();
  }

  /** The last key passed, if it is one of `keys`, or an empty string. Throws for a key with escapes, which no tool writes. */
  keyIn<Known extends string>(keys: KeySet<Known>): Known | '' {
    if (this.isEscaped) throw this.unknown();
    return keys.find(this.#units, this.start, this.end);
  }

  /** The last string passed. */
  lastText(): string {
    if (!this.isEscaped) return this.text.slice(this.start, this.end);
    return JSON.parse(this.text.slice(this.start - 1, this.end + 1)) as string;
  }

  /**
   * The last key passed, where the order of keys matters. Throws for an integer: a parsed object has these first, wherever
   * they are in the text.
   */
  lastKey(): string {
    const key = this.lastText();
    const first = this.#units[this.start] ?? 0;
    if (((first >= 48 && first <= 57) || this.isEscaped) && INDEX.test(key)) throw this.unknown();
    return key;
  }

  /** What stands for the last key passed. */
  key(): Key {
    return this.#keyOf(this.lastKey());
  }

  /** Passes an object, which must come next, and returns its keys. */
  nextKeys(): readonly Key[] {
    const keys = this.#keys;
    let count = 0;
    for (let more = this.enterObject(); more; more = this.nextMember()) {
      this.passKey();
      keys[count++] = this.key();
      this.pass();
    }
    // A list that grows takes the memory of 17 elements at least.
    return count === 0 ? NO_KEYS : keys.slice(0, count);
  }

  /** Passes and returns any value, parsed. Throws for lists and objects where trailing commas are allowed. */
  value(): unknown {
    const code = this.peek();
    if (code === QUOTE) return this.nextText();
    if (this.#commasMayTrail && (code === OPEN || code === OPEN_LIST)) throw this.unknown();
    const start = this.at;
    this.pass();
    return JSON.parse(this.text.slice(start, this.at));
  }

  /** Passes any value. Returns whether it is `true`. */
  passTrue(): boolean {
    this.peek();
    const isTrue = this.text.startsWith('true', this.at);
    if (isTrue) this.at += 4;
    else this.pass();
    return isTrue;
  }

  /** Passes any value. */
  pass(): void {
    const code = this.peek();
    if (code === QUOTE) this.#passString();
    else if (code === OPEN) this.#passObject();
    else if (code === OPEN_LIST) this.#passList();
    else this.#passScalar(code);
  }

  /** Passes any value without checking it, which is faster than `pass`. Throws for one that nests too deep. */
  skip(): void {
    const code = this.peek();
    if (code !== OPEN && code !== OPEN_LIST) {
      this.pass();
      return;
    }
    const units = this.#units;
    const { length } = this.text;
    let { line } = this;
    let at = this.at;
    let depth = 0;
    do {
      const unit = units[at] ?? 0;
      if (unit === QUOTE) at = endOfString(units, at);
      else if (unit === NEWLINE) line += 1;
      else {
        depth += NESTING[unit] ?? 0;
        if (depth > this.#maxDepth) throw this.unknown();
      }
      at += 1;
    } while (depth > 0 && at < length);
    this.at = at;
    this.line = line;
  }

  /** Throws unless only white space follows. */
  finish(): void {
    if (this.peek() !== 0 || this.at !== this.text.length) throw this.unknown();
  }

  unknown(): UnknownLayout {
    return new UnknownLayout(`line ${this.line}`);
  }

  #expect(code: number): void {
    if (this.peek() !== code) throw this.unknown();
  }

  #enter(open: number, close: number): boolean {
    this.#expect(open);
    this.at += 1;
    this.depth += 1;
    this.mayEnter -= 1;
    if (this.depth > this.#maxDepth || this.mayEnter < 0) throw this.unknown();
    if (this.peek() !== close) return true;
    this.#leave();
    return false;
  }

  #next(close: number): boolean {
    const code = this.#units[this.at] === COMMA ? COMMA : this.peek();
    if (code === COMMA) {
      this.at += 1;
      if (!this.#commasMayTrail || this.peek() !== close) return true;
      this.#leave();
      return false;
    }
    if (code !== close) throw this.unknown();
    this.#leave();
    return false;
  }

  #leave(): void {
    this.at += 1;
    this.depth -= 1;
  }

  #passObject(): void {
    for (let more = this.enterObject(); more; more = this.nextMember()) {
      this.passKey();
      this.pass();
    }
  }

  #passList(): void {
    for (let more = this.enterList(); more; more = this.nextElement()) this.pass();
  }

  #passString(): void {
    const units = this.#units;
    let at = this.at + 1;
    this.start = at;
    this.isEscaped = false;
    while (PLAIN[units[at] ?? 0] === 1) at += 1;
    while (units[at] !== QUOTE) {
      at = this.#pastEscape(at);
      while (PLAIN[units[at] ?? 0] === 1) at += 1;
    }
    this.end = at;
    this.at = at + 1;
  }

  #pastEscape(at: number): number {
    this.isEscaped = true;
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(this.text)) throw this.unknown();
    return ESCAPE.lastIndex;
  }

  #passScalar(code: number): void {
    // Refuses what does not begin with a letter, a digit or a minus before the pattern runs.
    if (code !== MINUS && (code < 48 || code > 122)) throw this.unknown();
    SCALAR.lastIndex = this.at;
    if (!SCALAR.test(this.text)) throw this.unknown();
    this.at = SCALAR.lastIndex;
  }
}

const NO_KEYS: readonly never[] = [];
const INDEX = /^(?:0|[1-9]\d*)$/;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Position of the closing quote of a valid string. */
function endOfString(units: CodeUnits, start: number): number {
  let at = start + 1;
  while (PLAIN[units[at] ?? 0] === 1) at += 1;
  while (units[at] === BACKSLASH) {
    at += 2;
    while (PLAIN[units[at] ?? 0] === 1) at += 1;
  }
  return at;
}
