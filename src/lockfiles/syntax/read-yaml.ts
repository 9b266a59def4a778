import type { LockfileInput } from '../format.ts';
import { LineCursor, type LineInput } from './line-cursor.ts';
import { textIn } from './parse-toml.ts';
import { parseYaml, type YamlDocument } from './parse-yaml.ts';
import { inOnePassOr } from './unknown-layout.ts';
import { LineReader } from './yaml-line-reader.ts';
import { refuseOddSpaces } from './yaml-lines.ts';
import type { YamlReader } from './yaml-reader.ts';

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
