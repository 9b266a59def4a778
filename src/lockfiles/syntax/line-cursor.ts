const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const HASH = 35;

/** Moves over the lines of an indented text that have content; blank lines and comment lines are passed over. */
export class LineCursor {
  readonly text: string;
  /** 1-based number of the current line. */
  line = 0;
  /** Spaces before the content of the current line; -1 after the last. */
  indent = -1;
  /** Where the content of the current line begins. */
  start = 0;
  /** Where it ends. */
  end = 0;
  #next = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Moves to the next line with content; `false` at the end of the text. */
  advance(): boolean {
    const { text } = this;
    while (this.#next < text.length) {
      const from = this.#next;
      let at = from;
      while (text.charCodeAt(at) === SPACE) at += 1;
      const code = text.charCodeAt(at);
      this.line += 1;
      if (code === NEWLINE) {
        this.#next = at + 1;
        continue;
      }
      const newline = text.indexOf('\n', at);
      const end = newline < 0 ? text.length : newline;
      this.#next = end + 1;
      if (code === HASH || code === RETURN || at >= end) continue;
      this.indent = at - from;
      this.start = at;
      this.end = text.charCodeAt(end - 1) === RETURN ? end - 1 : end;
      return true;
    }
    this.indent = -1;
    return false;
  }

  /** Moves on to the next line that is indented by no more than `indent`; `false` at the end. */
  skipDeeper(indent: number): boolean {
    while (this.advance()) if (this.indent <= indent) return true;
    return false;
  }
}
