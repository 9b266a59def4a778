import type { LineCursor } from './line-cursor.ts';
import { UnknownLayout } from './unknown-layout.ts';
import { enterExplicitValue, flowMapping, keyEnd, keyText, rawValue, scalar } from './yaml-lines.ts';
import type { YamlReader } from './yaml-reader.ts';

/** Visits the members of one document, line by line. Throws `UnknownLayout` for a layout that no package manager writes. */
export class LineReader implements YamlReader {
  readonly #cursor: LineCursor;
  // Not `#` fields, as in `LineCursor`.
  /** Position of the colon after the current key; -1 before the first one. */
  private colon = -1;
  /** What is known of the current value: nothing; it is a mapping that begins at the cursor; the cursor is after it. */
  private state: 'unread' | 'entered' | 'read' = 'entered';
  /** The value of a member in a mapping on one line. */
  private inFlow: string | undefined;

  constructor(cursor: LineCursor) {
    this.#cursor = cursor;
  }

  line(): number {
    return this.#cursor.line;
  }

  text(): string | undefined {
    if (this.inFlow !== undefined) return this.inFlow;
    const cursor = this.#cursor;
    const { indent } = cursor;
    const raw = rawValue(cursor, this.colon);
    if (raw.startsWith('{')) return undefined;
    const text = scalar(raw);
    const isDeeper = cursor.advance() && cursor.indent > indent;
    if (isDeeper && raw !== '') throw new UnknownLayout(`line ${cursor.line}`);
    this.state = isDeeper ? 'entered' : 'read';
    return isDeeper ? undefined : text;
  }

  members(visit: (key: string) => void): void {
    if (this.inFlow !== undefined) return;
    const raw = this.state === 'entered' ? '' : this.#enter();
    if (raw !== '') {
      for (const [key, value] of flowMapping(raw)) {
        this.inFlow = value;
        visit(key);
      }
      this.inFlow = undefined;
    } else if (this.state === 'entered') this.#visitLines(visit);
    this.state = 'read';
  }

  /** Moves past the line of the key, and to the mapping below it where there is one. Returns the value on the line. */
  #enter(): string {
    const cursor = this.#cursor;
    const { indent } = cursor;
    const isExplicit = this.colon === cursor.end;
    const raw = isExplicit ? '' : rawValue(cursor, this.colon);
    cursor.advance();
    if (isExplicit) enterExplicitValue(cursor, indent);
    if (cursor.indent > indent) this.state = 'entered';
    if (raw !== '' && this.state === 'entered') throw new UnknownLayout(`line ${cursor.line}`);
    return raw;
  }

  #visitLines(visit: (key: string) => void): void {
    const cursor = this.#cursor;
    const { indent } = cursor;
    while (cursor.indent === indent && !cursor.isMarker()) {
      this.colon = keyEnd(cursor);
      this.state = 'unread';
      visit(keyText(cursor, this.colon));
      this.#leave(indent);
    }
    if (cursor.indent > indent) throw new UnknownLayout(`line ${cursor.line}`);
  }

  /** Moves past the value of a key of that indentation. */
  #leave(indent: number): void {
    // A mapping where the visitor wants a scalar may be a scalar of several lines.
    if (this.state === 'entered') throw new UnknownLayout(`line ${this.#cursor.line}`);
    if (this.state === 'unread') this.#cursor.skipDeeper(indent);
  }
}
