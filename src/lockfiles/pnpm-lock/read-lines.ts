import { KeySet } from '../syntax/key-set.ts';
import { LineCursor, type LineInput } from '../syntax/line-cursor.ts';
import { UnknownLayout } from '../syntax/unknown-layout.ts';
import {
  endOfMapping,
  enterExplicitValue,
  keyEnd,
  keyText,
  leaveValue,
  rawValue,
  refuseOddSpaces,
  scalar,
  valueText,
} from '../syntax/yaml-lines.ts';
import {
  emptyDocument,
  emptyEntry,
  IMPORTER_LISTS,
  type PnpmDocument,
  type PnpmEntry,
  type References,
} from './document.ts';
import { ReferenceReader } from './read-references.ts';
import { readResolution } from './read-resolution.ts';

/**
 * Reads a pnpm-lock.yaml in the layout that pnpm writes, in one pass over its lines. Throws `UnknownLayout` for any other
 * YAML.
 */
export function readLines(input: LineInput): readonly PnpmDocument[] {
  refuseOddSpaces(input.text);
  const cursor = new LineCursor(input);
  const documents: PnpmDocument[] = [];
  let document = emptyDocument();
  const references = new ReferenceReader(cursor);
  let isEmpty = true;
  const sections = new Set<string>();
  for (let more = cursor.advance(); more; ) {
    if (cursor.indent !== 0) throw new UnknownLayout(`line ${cursor.line}`);
    if (isMarker(cursor)) {
      if (!isEmpty) documents.push(document);
      document = emptyDocument();
      isEmpty = true;
      sections.clear();
      more = cursor.advance();
      continue;
    }
    isEmpty = false;
    more = readSection(cursor, { document, references, sections });
  }
  if (!isEmpty) documents.push(document);
  return documents;
}

function isMarker({ text, start, end }: LineCursor): boolean {
  return end - start === 3 && text.startsWith('---', start);
}

/** The document that is read. */
interface Target {
  readonly document: PnpmDocument;
  readonly references: ReferenceReader;
  /** Keys of the top level. */
  readonly sections: Set<string>;
}

/** Reads one key of the top level with its value. Returns `false` at the end of the text. */
function readSection(cursor: LineCursor, { document, references, sections }: Target): boolean {
  const colon = keyEnd(cursor);
  const key = keyText(cursor, colon);
  const value = rawValue(cursor, colon);
  // A repeated key needs the general parser.
  if (sections.has(key)) throw new UnknownLayout(`line ${cursor.line}`);
  sections.add(key);
  if (key === 'lockfileVersion') {
    document.lockfileVersion = scalar(value);
    leaveValue(cursor);
    return cursor.indent >= 0;
  }
  const isRead =
    key === 'packages' || key === 'snapshots' || key === 'importers' || IMPORTER_LISTS.includes(key);
  if (!isRead || value === '{}') return cursor.skipDeeper(0);
  if (value !== '') throw new UnknownLayout(`line ${cursor.line}`);
  if (!cursor.advance()) return false;
  if (cursor.indent === 0) return true;
  if (key === 'packages') return readEntries(cursor, document.packages, references);
  if (key === 'snapshots') return readEntries(cursor, document.snapshots, references);
  if (key === 'importers') return readImporters(cursor, document, references);
  rootOf(document).lists.set(key, references.read());
  return cursor.indent >= 0;
}

/** The importer of lists at the top level, which pnpm writes for a target of one folder. */
function rootOf(document: PnpmDocument) {
  const known = document.importers.find(({ path }) => path === '');
  if (known !== undefined) return known;
  const root = { path: '', lists: new Map<string, References>() };
  document.importers.push(root);
  return root;
}

function readImporters(cursor: LineCursor, document: PnpmDocument, references: ReferenceReader): boolean {
  const { indent } = cursor;
  while (cursor.indent === indent) {
    const colon = keyEnd(cursor);
    const lists = new Map<string, References>();
    document.importers.push({ path: keyText(cursor, colon), lists });
    const value = rawValue(cursor, colon);
    if (value !== '' && value !== '{}') throw new UnknownLayout(`line ${cursor.line}`);
    cursor.advance();
    const inner = cursor.indent;
    while (cursor.indent === inner && inner > indent) readList(cursor, lists, references);
  }
  return endOfMapping(cursor, indent);
}

function readList(cursor: LineCursor, lists: Map<string, References>, references: ReferenceReader): void {
  const { indent } = cursor;
  const colon = keyEnd(cursor);
  const key = keyText(cursor, colon);
  const value = rawValue(cursor, colon);
  if (!IMPORTER_LISTS.includes(key) || value === '{}') {
    cursor.skipDeeper(indent);
    return;
  }
  if (value !== '') throw new UnknownLayout(`line ${cursor.line}`);
  cursor.advance();
  lists.set(key, cursor.indent > indent ? references.read() : []);
}

function readEntries(cursor: LineCursor, entries: PnpmEntry[], references: ReferenceReader): boolean {
  const { indent } = cursor;
  while (cursor.indent === indent) {
    const colon = keyEnd(cursor, true);
    const entry = emptyEntry(keyText(cursor, colon), cursor.line);
    const value = colon < cursor.end ? rawValue(cursor, colon) : '';
    if (value !== '' && value !== '{}') throw new UnknownLayout(`line ${cursor.line}`);
    entries.push(entry);
    const isExplicit = colon === cursor.end;
    cursor.advance();
    if (isExplicit) enterExplicitValue(cursor, indent);
    if (cursor.indent > indent) readFields(cursor, entry, references);
  }
  return endOfMapping(cursor, indent);
}

/**
 * First letters of the fields that are not needed: all but those of `resolution`, `requiresBuild`, `dependencies`, `dev`,
 * `optional…`, `name` and `version`.
 */
const UNREAD = new Uint8Array(128);
for (const character of 'abcefghijklmpqstuwxyz') UNREAD[character.charCodeAt(0)] = 1;

function readFields(cursor: LineCursor, entry: PnpmEntry, references: ReferenceReader): void {
  const { indent } = cursor;
  while (cursor.indent === indent) {
    const isUnread = UNREAD[cursor.units[cursor.start] ?? 0] === 1;
    if (isUnread || !readField(cursor, entry, references)) cursor.skipDeeper(indent);
  }
  endOfMapping(cursor, indent);
}

/** Most fields that are read. */
const USUAL = new KeySet(['resolution', 'dependencies', 'optionalDependencies', 'optional']);

/** Reads a field. Returns `true` when it has moved past the field. */
function readField(cursor: LineCursor, entry: PnpmEntry, references: ReferenceReader): boolean {
  if (cursor.end - cursor.start === 2 && cursor.text.startsWith('{}', cursor.start)) return false;
  const colon = keyEnd(cursor);
  switch (USUAL.find(cursor.units, cursor.start, colon) || keyText(cursor, colon)) {
    case 'resolution':
      entry.resolution = readResolution(cursor, colon);
      return true;
    case 'dependencies':
      entry.dependencies = readNested(cursor, colon, references);
      return true;
    case 'optionalDependencies':
      entry.optionalDependencies = readNested(cursor, colon, references);
      return true;
    case 'name':
      entry.name = valueText(cursor, colon);
      leaveValue(cursor);
      return true;
    case 'version':
      entry.version = valueText(cursor, colon);
      leaveValue(cursor);
      return true;
    case 'dev':
      entry.dev = valueText(cursor, colon) === 'true';
      leaveValue(cursor);
      return true;
    case 'optional':
      entry.optional = valueText(cursor, colon) === 'true';
      leaveValue(cursor);
      return true;
    case 'requiresBuild':
      entry.requiresBuild = valueText(cursor, colon) === 'true';
      leaveValue(cursor);
      return true;
    default:
      return false;
  }
}

function readNested(cursor: LineCursor, colon: number, references: ReferenceReader): References {
  const { indent } = cursor;
  const value = rawValue(cursor, colon);
  if (value !== '' && value !== '{}') throw new UnknownLayout(`line ${cursor.line}`);
  cursor.advance();
  return cursor.indent > indent ? references.read() : [];
}
