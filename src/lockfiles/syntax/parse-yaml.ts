import { EVENT_ID, type Event, getScalarValue, parseEvents, type ScalarEvent, YAMLException } from 'js-yaml';
import { conflictIn, LockfileError } from '../errors.ts';
import { membersOf } from './parse-toml.ts';

/** A member of a mapping. Its value is unchecked. */
interface YamlEntry {
  readonly key: string;
  readonly value: unknown;
  /** 1-based line of its key. */
  readonly line: number | undefined;
}

/** A document of a YAML text: mappings, lists and strings. Scalars are not converted, as formats differ in their types. */
export interface YamlDocument {
  readonly content: unknown;
  /** The members of a mapping in the document. In the two outermost levels they have lines, and include repeated ones. */
  entries(mapping: unknown): readonly YamlEntry[];
}

/** The limit of aliases. Tools write none; manually edited files contain some. */
const MAX_ALIASES = 100;
/** Nested mappings and lists; tools write a few levels. */
const MAX_DEPTH = 100;

/**
 * Parses any YAML, for texts that the one-pass readers do not know. It stops at the first error; time and memory are
 * proportional to the text. Throws `LockfileError` (`syntax`, `too-deep`).
 */
export function parseYaml(text: string, path: string): readonly YamlDocument[] {
  try {
    const input = withoutTabs(text);
    return new DocumentBuilder(input, parseEvents(input, { maxDepth: MAX_DEPTH })).documents();
  } catch (error) {
    if (error instanceof YAMLException) throw faultOf(error, text, path);
    throw error;
  }
}

/** YAML allows tabs between a key and its value (1.2, 6.2), the parser does not. Positions in the text do not change. */
function withoutTabs(text: string): string {
  return text.includes('\t') ? text.replace(/:[ \t]+/g, (gap) => `:${' '.repeat(gap.length - 1)}`) : text;
}

/** An unfinished mapping or list. `key` belongs to the next member. */
interface Open {
  readonly value: Record<string, unknown> | unknown[];
  readonly anchor: string | undefined;
  readonly entries: YamlEntry[] | undefined;
  key: { readonly text: string; readonly line: number | undefined } | undefined;
}

/** Builds values from the events of the parser. An alias becomes the value itself, not a copy. */
class DocumentBuilder {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #lineAt: (offset: number) => number | undefined;
  readonly #documents: YamlDocument[] = [];
  readonly #open: Open[] = [];
  #anchors = new Map<string, unknown>();
  /** Members of the two outermost levels of mappings, in their order. */
  #entries = new Map<unknown, readonly YamlEntry[]>();
  #content: unknown;
  #aliases = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
    this.#lineAt = lineFinder(text);
  }

  documents(): readonly YamlDocument[] {
    for (const event of this.#events) this.#take(event);
    return this.#documents;
  }

  #take(event: Event): void {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        this.#anchors = new Map();
        this.#entries = new Map();
        this.#content = undefined;
        this.#aliases = 0;
        return;
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        this.#start(event);
        return;
      case EVENT_ID.SCALAR:
        this.#scalar(event);
        return;
      case EVENT_ID.ALIAS:
        this.#add(this.#aliased(event.anchorStart, event.anchorEnd), event.anchorStart);
        return;
      case EVENT_ID.POP:
        this.#end();
    }
  }

  #start(event: Event & { type: typeof EVENT_ID.MAPPING | typeof EVENT_ID.SEQUENCE }): void {
    const isMapping = event.type === EVENT_ID.MAPPING;
    const parent = this.#open.at(-1);
    if (parent !== undefined && !Array.isArray(parent.value) && parent.key === undefined) {
      YAMLException.throwAt(this.#text, event.start, 'a key of a mapping is not a string');
    }
    const isOuter = isMapping && this.#open.length < 2;
    this.#open.push({
      value: isMapping ? {} : [],
      anchor: this.#anchorOf(event),
      entries: isOuter ? [] : undefined,
      key: undefined,
    });
  }

  #end(): void {
    const closed = this.#open.pop();
    if (closed === undefined) {
      this.#documents.push(documentOf(this.#content, this.#entries));
      return;
    }
    if (closed.entries !== undefined) this.#entries.set(closed.value, closed.entries);
    if (closed.anchor !== undefined) this.#anchors.set(closed.anchor, closed.value);
    this.#add(closed.value, 0);
  }

  #scalar(event: ScalarEvent): void {
    const text = event.valueStart < 0 ? '' : getScalarValue(this.#text, event);
    const anchor = this.#anchorOf(event);
    if (anchor !== undefined) this.#anchors.set(anchor, text);
    this.#add(text, event.valueStart);
  }

  #anchorOf({ anchorStart, anchorEnd }: { anchorStart: number; anchorEnd: number }): string | undefined {
    return anchorStart < 0 ? undefined : this.#text.slice(anchorStart, anchorEnd);
  }

  #aliased(start: number, end: number): unknown {
    const name = this.#text.slice(start, end);
    this.#aliases += 1;
    if (this.#aliases > MAX_ALIASES) {
      YAMLException.throwAt(this.#text, start, `more than ${MAX_ALIASES} aliases in a document`);
    }
    if (!this.#anchors.has(name))
      YAMLException.throwAt(this.#text, start, 'an alias without an anchor before it');
    return this.#anchors.get(name);
  }

  /** Adds a value: an element of a list, the key of a member, or the value of that key. */
  #add(value: unknown, start: number): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#content = value;
    else if (Array.isArray(parent.value)) parent.value.push(value);
    else if (parent.key === undefined) {
      if (typeof value !== 'string' || start < 0) {
        YAMLException.throwAt(this.#text, Math.max(0, start), 'a key of a mapping is not a string');
      }
      const line = parent.entries === undefined ? undefined : this.#lineAt(start);
      parent.key = { text: value, line };
    } else {
      const { text: key, line } = parent.key;
      setMember(parent.value, key, value);
      parent.entries?.push({ key, value, line });
      parent.key = undefined;
    }
  }
}

/** Handles `__proto__` like any other key. */
function setMember(mapping: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') mapping[key] = value;
  else Object.defineProperty(mapping, key, { value, enumerable: true, writable: true, configurable: true });
}

function documentOf(content: unknown, outer: ReadonlyMap<unknown, readonly YamlEntry[]>): YamlDocument {
  return {
    content,
    entries: (mapping) =>
      outer.get(mapping) ?? membersOf(mapping).map(([key, value]) => ({ key, value, line: undefined })),
  };
}

/** Returns a function that finds the 1-based line of a position. Positions ascend. */
function lineFinder(text: string): (offset: number) => number | undefined {
  let line = 1;
  let end = text.indexOf('\n');
  return (offset) => {
    if (offset < 0) return undefined;
    for (; end >= 0 && end < offset; end = text.indexOf('\n', end + 1)) line += 1;
    return line;
  };
}

function faultOf(error: YAMLException, text: string, path: string): LockfileError {
  const { reason, mark } = error;
  const conflict = conflictIn(text, path, error);
  if (conflict !== undefined) return conflict;
  const place = mark === undefined ? path : `${path}:${mark.line + 1}:${mark.column + 1}`;
  if (reason.startsWith('nesting exceeded')) {
    return new LockfileError('too-deep', `${place}: the YAML nests too deep`, { cause: error });
  }
  return new LockfileError('syntax', `${place}: not valid YAML (${reason.slice(0, 160)})`, { cause: error });
}
