import type { LineCursor } from '../syntax/line-cursor.ts';
import { endOfMapping, keyEnd, keyText, rawValue, scalar, valueText } from '../syntax/yaml-lines.ts';
import { newReference, type Reference, type References } from './document.ts';

/** Reads lists of references. */
export class ReferenceReader {
  readonly #cursor: LineCursor;
  /** The list that is read. A new list that grows takes the memory of 17 elements at least. */
  readonly #found: Reference[] = [];
  // Not a `#` field, as in `LineCursor`.
  private count = 0;

  constructor(cursor: LineCursor) {
    this.#cursor = cursor;
  }

  /** Reads `name: reference`, or `name:` above `specifier: …` and `version: reference`. */
  read(): References {
    const cursor = this.#cursor;
    const { indent } = cursor;
    this.count = 0;
    while (cursor.indent === indent) this.#readOne();
    endOfMapping(cursor, indent);
    return this.#found.slice(0, this.count);
  }

  #readOne(): void {
    const cursor = this.#cursor;
    const { indent } = cursor;
    const colon = keyEnd(cursor);
    const name = keyText(cursor, colon);
    const value = rawValue(cursor, colon);
    cursor.advance();
    if (value !== '') {
      const reference = newReference(name, scalar(value));
      if (reference.reference !== '') this.#add(reference);
      return;
    }
    const inner = cursor.indent;
    while (cursor.indent === inner && inner > indent) {
      const at = keyEnd(cursor);
      if (keyText(cursor, at) === 'version') this.#add(newReference(name, valueText(cursor, at)));
      cursor.skipDeeper(inner);
    }
  }

  #add(reference: Reference): void {
    this.#found[this.count++] = reference;
  }
}
