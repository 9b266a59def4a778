import { LineCursor, type LineInput } from '../../syntax/line-cursor.ts';
import { UnknownLayout } from '../../syntax/unknown-layout.ts';
import {
  enterExplicitValue,
  keyEnd,
  keyText,
  leaveValue,
  rawValue,
  refuseOddSpaces,
  valueText,
} from '../../syntax/yaml-lines.ts';
import { type Descriptor, newDescriptor } from '../descriptor.ts';

/** An entry in the words of the file. */
export interface BerryEntry {
  /** `a@npm:^1, b@npm:^2`. */
  readonly key: string;
  readonly line: number | undefined;
  version: string;
  resolution: string;
  checksum: string | undefined;
  dependencies: readonly Descriptor[];
  /** Names of the optional ones among them. */
  optional: readonly string[];
}

const NONE: readonly never[] = [];

export function emptyEntry(key: string, line: number | undefined): BerryEntry {
  return { key, line, version: '', resolution: '', checksum: undefined, dependencies: NONE, optional: NONE };
}

/**
 * Reads a yarn.lock in the layout that yarn writes, in one pass over its lines. Throws `UnknownLayout` for any other YAML.
 */
export function readLines(input: LineInput): readonly BerryEntry[] {
  refuseOddSpaces(input.text);
  const cursor = new LineCursor(input);
  const entries: BerryEntry[] = [];
  for (let more = cursor.advance(); more; more = cursor.indent >= 0) {
    if (cursor.indent !== 0) throw new UnknownLayout(`line ${cursor.line}`);
    const colon = keyEnd(cursor, true);
    if (colon < cursor.end && colon + 1 !== cursor.end) throw new UnknownLayout(`line ${cursor.line}`);
    const key = keyText(cursor, colon);
    if (key === '__metadata') {
      cursor.skipDeeper(0);
      continue;
    }
    const entry = emptyEntry(key, cursor.line);
    const keyLineEnd = cursor.end;
    cursor.advance();
    if (colon === keyLineEnd) enterExplicitValue(cursor, 0);
    if (cursor.indent > 0) readFields(cursor, entry);
    entries.push(entry);
  }
  return entries;
}

const [A = 0, Z = 0, V, R, C, D] = [...'azvrcd'].map((character) => character.charCodeAt(0));

function readFields(cursor: LineCursor, entry: BerryEntry): void {
  const { indent } = cursor;
  while (cursor.indent === indent) {
    // Most fields are not needed; their first letter shows that.
    const first = cursor.text.charCodeAt(cursor.start);
    const isRead = first === V || first === R || first === C || first === D;
    if ((isRead || first < A || first > Z) && readField(cursor, entry)) continue;
    cursor.skipDeeper(indent);
  }
  if (cursor.indent > 0) throw new UnknownLayout(`line ${cursor.line}`);
}

/** Reads a field. Returns `true` when it has moved past the field. */
function readField(cursor: LineCursor, entry: BerryEntry): boolean {
  const colon = keyEnd(cursor);
  switch (keyText(cursor, colon)) {
    case 'version':
      entry.version = valueText(cursor, colon);
      leaveValue(cursor);
      return true;
    case 'resolution':
      entry.resolution = valueText(cursor, colon);
      leaveValue(cursor);
      return true;
    case 'checksum':
      entry.checksum = valueText(cursor, colon);
      leaveValue(cursor);
      return true;
    case 'dependencies':
      entry.dependencies = readDependencies(cursor, colon);
      return true;
    case 'dependenciesMeta':
      entry.optional = readOptional(cursor, colon);
      return true;
    default:
      return false;
  }
}

/** Enters the mapping below a key. Returns `false` when it is empty. */
function enterMapping(cursor: LineCursor, colon: number): boolean {
  const { indent } = cursor;
  if (rawValue(cursor, colon) !== '') throw new UnknownLayout(`line ${cursor.line}`);
  return cursor.advance() && cursor.indent > indent;
}

function readDependencies(cursor: LineCursor, colon: number): readonly Descriptor[] {
  const { indent } = cursor;
  const found: Descriptor[] = [];
  if (!enterMapping(cursor, colon)) return found;
  const inner = cursor.indent;
  while (cursor.indent === inner) {
    const end = keyEnd(cursor);
    found.push(newDescriptor(keyText(cursor, end), valueText(cursor, end)));
    cursor.advance();
  }
  if (cursor.indent > indent) throw new UnknownLayout(`line ${cursor.line}`);
  return found;
}

/** `name:` above `optional: true`. */
function readOptional(cursor: LineCursor, colon: number): readonly string[] {
  const { indent } = cursor;
  const names: string[] = [];
  if (!enterMapping(cursor, colon)) return names;
  const inner = cursor.indent;
  while (cursor.indent === inner) {
    const end = keyEnd(cursor);
    const name = keyText(cursor, end);
    if (!enterMapping(cursor, end)) continue;
    const deepest = cursor.indent;
    while (cursor.indent === deepest) {
      const at = keyEnd(cursor);
      if (keyText(cursor, at) === 'optional' && valueText(cursor, at) === 'true') names.push(name);
      leaveValue(cursor);
    }
    if (cursor.indent > inner) throw new UnknownLayout(`line ${cursor.line}`);
  }
  if (cursor.indent > indent) throw new UnknownLayout(`line ${cursor.line}`);
  return names;
}
