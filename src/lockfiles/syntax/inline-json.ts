/** Thrown where a text is not laid out as the line readers know it: the whole file is then left to the general parser. */
export class UnknownLayout extends Error {}

const [QUOTE, COMMA, COLON, SPACE, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [34, 44, 58, 32, 91, 93, 123, 125];
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,\]}])/y;
const MAX_DEPTH = 20;

/**
 * Reads JSON values that stand on one line and hold no escapes, one after the other; commas may trail. Throws
 * `UnknownLayout` otherwise.
 */
export class InlineJson {
  readonly #text: string;
  #at = 0;
  #end = 0;

  /** `text` must hold no backslash. */
  constructor(text: string) {
    this.#text = text;
  }

  /** Goes on at `start`, and no further than `end`. */
  enter(start: number, end: number): void {
    this.#at = start;
    this.#end = end;
  }

  /** The code of the next character that is no space; moves to it. */
  next(): number {
    while (this.#text.charCodeAt(this.#at) === SPACE) this.#at += 1;
    return this.#at < this.#end ? this.#text.charCodeAt(this.#at) : -1;
  }

  isText(): boolean {
    return this.next() === QUOTE;
  }

  isObject(): boolean {
    return this.next() === OPEN;
  }

  /** A string with the colon behind it. */
  key(): string {
    const key = this.text();
    this.take(COLON);
    return key;
  }

  text(): string {
    this.take(QUOTE);
    const start = this.#at;
    const close = this.#text.indexOf('"', start);
    if (close < 0 || close >= this.#end) throw new UnknownLayout();
    this.#at = close + 1;
    return this.#text.slice(start, close);
  }

  /** The elements of a list, each read by `element`. */
  list(element: () => void): void {
    this.#items(OPEN_LIST, CLOSE_LIST, element);
  }

  /** The members of an object, each read by `member`, its key too. */
  object(member: () => void): void {
    this.#items(OPEN, CLOSE, member);
  }

  /** Passes over any value. */
  skip(depth = 0): void {
    if (depth > MAX_DEPTH) throw new UnknownLayout();
    switch (this.next()) {
      case QUOTE:
        this.text();
        return;
      case OPEN:
        this.object(() => {
          this.key();
          this.skip(depth + 1);
        });
        return;
      case OPEN_LIST:
        this.list(() => this.skip(depth + 1));
        return;
      default:
        LITERAL.lastIndex = this.#at;
        if (!LITERAL.test(this.#text)) throw new UnknownLayout();
        this.#at = LITERAL.lastIndex;
    }
  }

  /** Whether nothing follows but at most a comma; tells whether one does. */
  finish(): boolean {
    const hasComma = this.next() === COMMA;
    if (hasComma) this.#at += 1;
    if (this.next() !== -1) throw new UnknownLayout();
    return hasComma;
  }

  take(code: number): void {
    if (this.next() !== code) throw new UnknownLayout();
    this.#at += 1;
  }

  #items(open: number, close: number, item: () => void): void {
    this.take(open);
    for (let code = this.next(); code !== close; ) {
      item();
      code = this.next();
      if (code !== COMMA && code !== close) throw new UnknownLayout();
      if (code !== COMMA) break;
      this.#at += 1;
      code = this.next();
    }
    this.#at += 1;
  }
}
