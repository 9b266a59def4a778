import type { LockfileInput } from '../format.ts';
import { LineCursor, type LineInput } from './line-cursor.ts';
import { textIn } from './parse-toml.ts';
import { parseYaml, type YamlDocument } from './parse-yaml.ts';
import { inOnePassOr, UnknownLayout } from './unknown-layout.ts';
import {
  enterExplicitValue,
  flowMapping,
  keyEnd,
  keyText,
  rawValue,
  refuseOddSpaces,
  scalar,
} from './yaml-lines.ts';

/**
 * Returns what `read` makes of each document of a YAML text, without empty documents. One pass over the lines reads the layout of
 * the package managers, the general parser any other. Throws `LockfileError`, and `UnknownLayout` for `onePassOnly`.
 */
export function readYaml<T>(input: LockfileInput, read: (document: YamlReader) => T): readonly T[] {
  return inOnePassOr(
    input,
    () => readLines(input, read),
    () => readGeneral(input.text, input.path, read),
  );
}

/** Reads in one pass over the lines. Throws `UnknownLayout` for another layout than that of the package managers. */
export function readLines<T>(input: LineInput, read: (document: YamlReader) => T): readonly T[] {
  refuseOddSpaces(input.text);
  const cursor = new LineCursor(input);
  const documents: T[] = [];
  for (let more = cursor.advance(); more; more = cursor.indent >= 0) {
    if (cursor.isMarker()) cursor.advance();
    else documents.push(read(new LineReader(cursor)));
  }
  return documents;
}

/** Reads any layout. Throws `LockfileError`. */
export function readGeneral<T>(text: string, path: string, read: (document: YamlReader) => T): readonly T[] {
  return parseYaml(text, path)
    .filter(({ content }) => content !== null && content !== '')
    .map((document) => read(new TreeReader(document)));
}

/** Visits the values of the general parser. */
class TreeReader implements YamlReader {
  readonly #document: YamlDocument;
  #value: unknown;
  #line: number | undefined;

  constructor(document: YamlDocument) {
    this.#document = document;
    this.#value = document.content;
  }

  line(): number | undefined {
    return this.#line;
  }

  text(): string | undefined {
    return textIn(this.#value);
  }

  members(visit: (key: string) => void): void {
    for (const { key, value, line } of this.#document.entries(this.#value)) {
      this.#value = value;
      this.#line = line;
      visit(key);
    }
  }
}

/** Visits the members of one document, line by line. Throws `UnknownLayout` for a layout that no package manager writes. */
export class LineReader implements YamlReader {
  readonly #cursor: LineCursor;
  // Not `#` fields, as in `LineCursor`.
  /** Position of the colon after the current key; -1 before the first one. */
  private colon = -1;
  /** The knowledge about the current value: none; it is a mapping that begins at the cursor; the cursor is after it. */
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

/**
 * Visits the members of a YAML document in their order, keys and values being texts. A visitor reads the value of the member at
 * which it is, once, or leaves it.
 */
export interface YamlReader {
  /** 1-based line of the current key, where it is known: call it before the value is read. */
  line(): number | undefined;
  /** Returns the value if it is a scalar. `undefined`: it is a mapping, which `members` can read, or a list. */
  text(): string | undefined;
  /** Visits the members of the value; nothing where it is not a mapping. Before the first member, the value is the document. */
  members(visit: (key: string) => void): void;
}
