import type { LockfileInput } from '../format.ts';
import { type CodeUnits, unitsOf } from './decode-text.ts';
import { UnknownLayout } from './unknown-layout.ts';

export type LineInput = Pick<LockfileInput, 'text' | 'bytes' | 'onePassOnly'>;

/** A file of 8 MiB that a package manager writes has fewer lines. */
const MAX_LINES = 300_000;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const HASH = 35;

/**
 * Walks over the lines of an indented text, without blank lines and comment lines. Throws `UnknownLayout` for more lines than are to
 * be read.
 */
export class LineCursor {
  readonly text: string;
  /** 1-based number of the current line. */
  line = 0;
  /** Number of spaces before the content of the current line; -1 after the last line. */
  indent = -1;
  /** Start of the content of the current line. */
  start = 0;
  /** End of that content. */
  end = 0;
  // Not a `#` field: each write of one is a call until V8 optimizes the function fully, which a short command does not reach.
  private next = 0;
  readonly #lastLine: number;
  readonly units: CodeUnits;

  constructor({ text, bytes, onePassOnly = false }: LineInput) {
    this.text = text;
    this.units = bytes ?? unitsOf(text);
    this.#lastLine = onePassOnly ? MAX_LINES : Number.POSITIVE_INFINITY;
  }

  /** Moves to the next line with content. Returns `false` at the end of the text. */
  advance(): boolean {
    const { text, units } = this;
    const { length } = text;
    while (this.next < length) {
      const from = this.next;
      let at = from;
      while (units[at] === SPACE) at += 1;
      const code = units[at];
      this.line += 1;
      if (this.line > this.#lastLine) throw new UnknownLayout(`line ${this.line}`);
      if (code === NEWLINE) {
        this.next = at + 1;
        continue;
      }
      const newline = text.indexOf('\n', at);
      const end = newline < 0 ? length : newline;
      this.next = end + 1;
      if (code === HASH || code === RETURN || at >= end) continue;
      this.indent = at - from;
      this.start = at;
      this.end = units[end - 1] === RETURN ? end - 1 : end;
      return true;
    }
    this.indent = -1;
    return false;
  }

  /** Whether the current line is `---`, which begins a YAML document. */
  isMarker(): boolean {
    return this.indent === 0 && this.end - this.start === 3 && this.text.startsWith('---', this.start);
  }

  /** Moves to the next line that is indented by at most `indent`. Returns `false` at the end of the text. */
  skipDeeper(indent: number): boolean {
    while (this.advance()) if (this.indent <= indent) return true;
    return false;
  }
}
