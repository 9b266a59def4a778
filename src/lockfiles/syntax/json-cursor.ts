import type { KeySet } from './key-set.ts';
import { unitsOf } from './text-units.ts';
import { UnknownLayout } from './unknown-layout.ts';

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA, MINUS] = [9, 10, 13, 32, 34, 44, 45];
const [COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [58, 91, 92, 93, 123, 125];
/** By UTF-16 unit, 1 for what stands in a string as it is. */
const PLAIN = new Uint8Array(65_536).fill(1, SPACE);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;
/** Deeper than what any tool nests; the general parser goes as deep as it likes. */
const MAX_DEPTH = 100;

/**
 * Moves over JSON text, one value after the other, for readers that want a few of many members. All that it passes is
 * checked, wanted or not: what it does not refuse is JSON, but for commas where these may trail. Throws `UnknownLayout`.
 */
export class JsonCursor {
  readonly text: string;
  /** 1-based line of what comes next, once `peek` was called. */
  line = 1;
  /** Where the string that was passed last begins and ends, without its quotes. */
  start = 0;
  end = 0;
  #at = 0;
  #isEscaped = false;
  #depth = 0;
  /** The text's units as numbers, which are much faster to get at than those of a string. */
  readonly #units: Uint8Array | Uint16Array;
  readonly #commasMayTrail: boolean;

  constructor(text: string, { commasMayTrail = false } = {}) {
    this.text = text;
    this.#units = unitsOf(text);
    this.#commasMayTrail = commasMayTrail;
  }

  /** Moves to the next token, whose first character it gives. */
  peek(): number {
    const units = this.#units;
    let at = this.#at;
    let code = units[at] ?? 0;
    while (code <= SPACE) {
      if (code === NEWLINE) this.line += 1;
      else if (code !== SPACE && code !== RETURN && code !== TAB) break;
      at += 1;
      while (units[at] === SPACE) at += 1;
      code = units[at] ?? 0;
    }
    this.#at = at;
    return code;
  }

  /** Steps into the object that has to come next; `false` when it has no members. */
  enterObject(): boolean {
    return this.#enter(OPEN, CLOSE);
  }

  /** Moves past the key of a member and its colon; gives the line of the key. */
  passKey(): number {
    this.#expect(QUOTE);
    const { line } = this;
    this.#passString();
    this.#expect(COLON);
    this.#at += 1;
    return line;
  }

  /** Moves on behind a member's value: `true` when another member follows, `false` when the object ended. */
  nextMember(): boolean {
    return this.#next(CLOSE);
  }

  /** Steps into the list that has to come next; `false` when it is empty. */
  enterList(): boolean {
    return this.#enter(OPEN_LIST, CLOSE_LIST);
  }

  /** Moves on behind an element: `true` when another follows, `false` when the list ended. */
  nextElement(): boolean {
    return this.#next(CLOSE_LIST);
  }

  isTextNext(): boolean {
    return this.peek() === QUOTE;
  }

  isObjectNext(): boolean {
    return this.peek() === OPEN;
  }

  /** The string that has to come next. */
  nextText(): string {
    this.#expect(QUOTE);
    this.#passString();
    return this.lastText();
  }

  /** Which one of the keys was passed last; `undefined` when it was none. Throws for one with escapes: no tool writes any. */
  keyIn<Key extends string>(keys: KeySet<Key>): Key | undefined {
    if (this.#isEscaped) throw this.unknown();
    const first = this.#units[this.start];
    for (const key of keys.ofLength(this.end - this.start)) {
      if (key.charCodeAt(0) === first && this.text.startsWith(key, this.start)) return key;
    }
    return undefined;
  }

  /** The string that was passed last. */
  lastText(): string {
    if (!this.#isEscaped) return this.text.slice(this.start, this.end);
    return JSON.parse(this.text.slice(this.start - 1, this.end + 1)) as string;
  }

  /**
   * The key that was passed last, where the order of keys matters. Throws for one that is a number: these come first in a
   * parsed object, wherever they stand in the text.
   */
  lastKey(): string {
    const key = this.lastText();
    const first = key.charCodeAt(0);
    if (first >= 48 && first <= 57 && INDEX.test(key)) throw this.unknown();
    return key;
  }

  /** The keys of the object that has to come next. */
  nextKeys(): readonly string[] {
    const keys: string[] = [];
    for (let more = this.enterObject(); more; more = this.nextMember()) {
      this.passKey();
      keys.push(this.lastKey());
      this.pass();
    }
    return keys;
  }

  /** Any value, parsed. Throws for lists and objects where commas may trail. */
  value(): unknown {
    const code = this.peek();
    if (code === QUOTE) return this.nextText();
    if (this.#commasMayTrail && (code === OPEN || code === OPEN_LIST)) throw this.unknown();
    const start = this.#at;
    this.pass();
    return JSON.parse(this.text.slice(start, this.#at));
  }

  /** Moves past any value; tells whether it is `true`. */
  passTrue(): boolean {
    this.peek();
    const start = this.#at;
    this.pass();
    return this.text.startsWith('true', start);
  }

  /** Moves past any value. */
  pass(): void {
    const code = this.peek();
    if (code === QUOTE) this.#passString();
    else if (code === OPEN) this.#passObject();
    else if (code === OPEN_LIST) this.#passList();
    else this.#passScalar(code);
  }

  /** Throws when anything but white space follows. */
  finish(): void {
    if (this.peek() !== 0 || this.#at !== this.text.length) throw this.unknown();
  }

  unknown(): UnknownLayout {
    return new UnknownLayout(`line ${this.line}`);
  }

  #expect(code: number): void {
    if (this.peek() !== code) throw this.unknown();
  }

  #enter(open: number, close: number): boolean {
    this.#expect(open);
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.unknown();
    if (this.peek() !== close) return true;
    this.#leave();
    return false;
  }

  #next(close: number): boolean {
    const code = this.peek();
    if (code === COMMA) {
      this.#at += 1;
      if (!this.#commasMayTrail || this.peek() !== close) return true;
      this.#leave();
      return false;
    }
    if (code !== close) throw this.unknown();
    this.#leave();
    return false;
  }

  #leave(): void {
    this.#at += 1;
    this.#depth -= 1;
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
    let at = this.#at + 1;
    this.start = at;
    this.#isEscaped = false;
    while (PLAIN[units[at] ?? 0] === 1) at += 1;
    while (units[at] !== QUOTE) {
      at = this.#pastEscape(at);
      while (PLAIN[units[at] ?? 0] === 1) at += 1;
    }
    this.end = at;
    this.#at = at + 1;
  }

  #pastEscape(at: number): number {
    this.#isEscaped = true;
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(this.text)) throw this.unknown();
    return ESCAPE.lastIndex;
  }

  #passScalar(code: number): void {
    // A letter, a digit or a minus; what is neither is refused without a look at the rest.
    if (code !== MINUS && (code < 48 || code > 122)) throw this.unknown();
    SCALAR.lastIndex = this.#at;
    if (!SCALAR.test(this.text)) throw this.unknown();
    this.#at = SCALAR.lastIndex;
  }
}

const INDEX = /^(?:0|[1-9]\d*)$/;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
