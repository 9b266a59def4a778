import { type Document, isMap, isNode, isScalar, LineCounter, parseAllDocuments, type YAMLMap } from 'yaml';
import { messageOf } from '../../model/errors.ts';
import { LockfileError } from '../errors.ts';
import { conflictLine } from './merge-conflict.ts';
import { isTable, type Table } from './parse-toml.ts';

/** A member of a mapping, unchecked. */
export interface YamlEntry {
  readonly key: string;
  readonly value: unknown;
  /** 1-based, of its key. */
  readonly line: number | undefined;
}

/** A document of a YAML text, unchecked: mappings, lists and texts, for what a scalar is, is for the reader to say. */
export interface YamlDocument {
  readonly content: unknown;
  /** Members of the mapping under `section`, or of the document itself; one that is repeated comes as often. */
  entries(section?: string): readonly YamlEntry[];
}

/** No tool writes any; some stand in for others in files written by hand. */
const MAX_ALIASES = 100;

/**
 * Parses YAML of any kind, slowly: what the readers of single lines do not know. Throws `LockfileError` (`syntax`,
 * `too-deep`), also for aliases that unfold to more than is ever meant.
 */
export function parseYaml(text: string, path: string): readonly YamlDocument[] {
  const lineCounter = new LineCounter();
  try {
    // Keys that are repeated are looked for by a search of each among all before it: the time is quadratic.
    const options = { schema: 'failsafe', lineCounter, uniqueKeys: false, logLevel: 'silent' } as const;
    const documents = parseAllDocuments(text, options);
    const all = 'empty' in documents ? [] : documents;
    return all.map((document) => readDocument(document, lineCounter));
  } catch (error) {
    throw faultOf(error, text, path);
  }
}

function readDocument(document: Document.Parsed, lines: LineCounter): YamlDocument {
  const [fault] = document.errors;
  if (fault !== undefined) throw fault;
  const content: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
  const root = isMap(document.contents) ? document.contents : undefined;
  return {
    content,
    entries(section) {
      const within: unknown = section === undefined ? root : lastValue(root, section);
      const inContent = section === undefined ? content : isTable(content) ? content[section] : undefined;
      return isTable(inContent) ? entriesOf(within, inContent, { document, lines }) : [];
    },
  };
}

/** Of keys that are repeated the last counts. */
function lastValue(root: YAMLMap | undefined, name: string): unknown {
  return root?.items.findLast(({ key }) => isScalar(key) && String(key.value) === name)?.value;
}

function entriesOf(
  stated: unknown,
  content: Table,
  { document, lines }: { readonly document: Document.Parsed; readonly lines: LineCounter },
): readonly YamlEntry[] {
  const known = Object.entries(content);
  // An alias of a mapping stands elsewhere.
  if (!isMap(stated)) return known.map(([key, value]) => ({ key, value, line: undefined }));
  const { items } = stated as YAMLMap;
  const isDistinct = items.length === known.length;
  return items.flatMap(({ key, value }): YamlEntry | readonly never[] => {
    if (!isScalar(key)) return [];
    const name = String(key.value);
    const own = isDistinct ? content[name] : isNode(value) ? value.toJS(document) : undefined;
    const line = key.range == null ? undefined : lines.linePos(key.range[0]).line;
    return { key: name, value: own, line };
  });
}

function faultOf(error: unknown, text: string, path: string): LockfileError {
  const conflict = conflictLine(text);
  if (conflict !== undefined) {
    return new LockfileError('syntax', `${path}:${conflict}: unresolved merge conflict`, { cause: error });
  }
  if (error instanceof RangeError) {
    return new LockfileError('too-deep', `${path}: the YAML nests too deep to be read`, { cause: error });
  }
  const [at] =
    (error as { readonly linePos?: readonly { readonly line: number; readonly col: number }[] }).linePos ??
    [];
  const place = at === undefined ? path : `${path}:${at.line}:${at.col}`;
  const reason = messageOf(error).split('\n')[0]?.slice(0, 160) ?? '';
  return new LockfileError('syntax', `${place}: not valid YAML (${reason})`, { cause: error });
}
