import { LineCursor } from '../../line-cursor.ts';
import { keyEnd, keyText, rawValue, UnknownYaml, valueText } from '../../yaml-lines.ts';
import { type BerryEntry, emptyEntry } from './entries.ts';

/**
 * Reads a yarn.lock in the layout that yarn writes, in one pass over its lines. Throws `UnknownYaml` for anything else that
 * YAML allows.
 */
export function readLines(text: string): readonly BerryEntry[] {
  const cursor = new LineCursor(text);
  const entries: BerryEntry[] = [];
  for (let more = cursor.advance(); more; more = cursor.indent >= 0) {
    if (cursor.indent !== 0) throw new UnknownYaml(`line ${cursor.line}`);
    const colon = keyEnd(cursor);
    if (colon < cursor.end && colon + 1 !== cursor.end) throw new UnknownYaml(`line ${cursor.line}`);
    const key = keyText(cursor, colon);
    if (key === '__metadata') {
      cursor.skipDeeper(0);
      continue;
    }
    const entry = emptyEntry(key, cursor.line);
    cursor.advance();
    // Below `? key` its value begins with `: `, which counts as indentation.
    if (cursor.indent === 0 && text.startsWith(': ', cursor.start)) {
      cursor.start += 2;
      cursor.indent += 2;
    }
    if (cursor.indent > 0) readFields(cursor, entry);
    entries.push(entry);
  }
  return entries;
}

const [V, R, C, D] = [...'vrcd'].map((character) => character.charCodeAt(0));
const [QUOTE, APOSTROPHE] = [34, 39];

function readFields(cursor: LineCursor, entry: BerryEntry): void {
  const { indent } = cursor;
  while (cursor.indent === indent) {
    // Most fields are of no interest: they are told by how they begin.
    const first = cursor.text.charCodeAt(cursor.start);
    const isRead = first === V || first === R || first === C || first === D;
    if (isRead || first === QUOTE || first === APOSTROPHE) {
      if (readField(cursor, entry)) continue;
    }
    cursor.skipDeeper(indent);
  }
  if (cursor.indent > 0) throw new UnknownYaml(`line ${cursor.line}`);
}

/** Reads a field; `true` when that took the lines below it too. */
function readField(cursor: LineCursor, entry: BerryEntry): boolean {
  const colon = keyEnd(cursor);
  switch (keyText(cursor, colon)) {
    case 'version':
      entry.version = valueText(cursor, colon);
      return false;
    case 'resolution':
      entry.resolution = valueText(cursor, colon);
      return false;
    case 'checksum':
      entry.checksum = valueText(cursor, colon);
      return false;
    case 'dependencies':
      entry.dependencies = readPairs(cursor, cursor.indent);
      return true;
    case 'dependenciesMeta':
      entry.optional = readOptional(cursor, cursor.indent);
      return true;
    default:
      return false;
  }
}

function readPairs(cursor: LineCursor, indent: number): readonly string[] {
  const pairs: string[] = [];
  cursor.advance();
  const inner = cursor.indent;
  while (cursor.indent === inner && inner > indent) {
    const colon = keyEnd(cursor);
    pairs.push(keyText(cursor, colon), valueText(cursor, colon));
    cursor.advance();
  }
  if (cursor.indent > indent) throw new UnknownYaml(`line ${cursor.line}`);
  return pairs;
}

/** `name:` above `optional: true`. */
function readOptional(cursor: LineCursor, indent: number): readonly string[] {
  const names: string[] = [];
  cursor.advance();
  const inner = cursor.indent;
  while (cursor.indent === inner && inner > indent) {
    const name = keyText(cursor, keyEnd(cursor));
    while (cursor.advance() && cursor.indent > inner) {
      const colon = keyEnd(cursor);
      if (keyText(cursor, colon) === 'optional' && rawValue(cursor, colon) === 'true') names.push(name);
    }
  }
  if (cursor.indent > indent) throw new UnknownYaml(`line ${cursor.line}`);
  return names;
}
