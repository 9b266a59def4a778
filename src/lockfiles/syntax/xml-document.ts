import { SaxesParser } from 'saxes';
import { messageOf } from '../../model/errors.ts';
import { LockfileError } from '../errors.ts';

/** An element of an XML file. */
export interface XmlElement {
  /** Without the prefix, where that is the root element's: other prefixes are other vocabularies. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  /** Its own text, CDATA included, as it stands. */
  text: string;
  /** 1-based line of its start tag. */
  readonly line: number;
}

export interface XmlOptions {
  /** What the file ought to be, for messages: `a pom`. */
  readonly expected: string;
  /** Names of elements that nobody asks for: they are checked, and not kept. */
  readonly unwanted?: ReadonlySet<string>;
  /** Takes entities that XML does not know (`&copy;`) as they stand, as Maven's own parser does. */
  readonly keepsUnknownEntities?: boolean;
}

/** No format here comes near it. */
const MAX_DEPTH = 250;

/**
 * Reads a whole XML file as a tree. Nothing outside the file is opened, and no entity is expanded but the five of XML and
 * character references: a document type that declares entities is refused. Throws `LockfileError` (`syntax`,
 * `wrong-format`, `too-deep`).
 */
export function readXml(text: string, path: string, options: XmlOptions): XmlElement {
  if (!/^\s*</.test(text)) {
    throw new LockfileError('wrong-format', `${path}: this is not XML; ${options.expected} is`);
  }
  const parser = new SaxesParser({ xmlns: false, position: true });
  // Before the declaration there may be nothing at all, and people leave blank lines there.
  const body = text.trimStart();
  const linesAbove = text.slice(0, text.length - body.length).split('\n').length - 1;
  const builder = new TreeBuilder(path, options.unwanted ?? new Set());
  parser.on('error', (error) => {
    if (options.keepsUnknownEntities === true && error.message.endsWith(UNKNOWN_ENTITY)) return;
    throw new LockfileError(
      'syntax',
      `${path}:${linesAbove + parser.line}: not valid XML (${reason(error)})`,
      {
        cause: error,
      },
    );
  });
  parser.on('doctype', (declaration) => {
    if (!declaration.includes('<!ENTITY')) return;
    throw new LockfileError(
      'syntax',
      `${path}:${linesAbove + parser.line}: the file declares entities of its own, which are never expanded; write them out`,
    );
  });
  // The parser stands behind the character after the name: on the next line, where that is its end.
  parser.on('opentagstart', () => {
    builder.starts(linesAbove + (parser.column === 0 ? parser.line - 1 : parser.line));
  });
  parser.on('opentag', ({ name, attributes }) => builder.opens(name, attributes));
  parser.on('text', (part) => builder.adds(part));
  parser.on('cdata', (part) => builder.adds(part));
  parser.on('closetag', () => builder.closes());
  parser.write(body).close();
  return builder.root();
}

const UNKNOWN_ENTITY = 'undefined entity.';

class TreeBuilder {
  readonly #path: string;
  readonly #unwanted: ReadonlySet<string>;
  readonly #open: XmlElement[] = [];
  #root: XmlElement | undefined;
  #prefix = '';
  #line = 1;
  /** How many open elements are unwanted, or in one that is. */
  #skipped = 0;

  constructor(path: string, unwanted: ReadonlySet<string>) {
    this.#path = path;
    this.#unwanted = unwanted;
  }

  starts(line: number): void {
    this.#line = line;
  }

  opens(qualified: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#open.length + this.#skipped >= MAX_DEPTH) {
      throw new LockfileError(
        'too-deep',
        `${this.#path}:${this.#line}: elements nest more than ${MAX_DEPTH} levels deep`,
      );
    }
    if (this.#root === undefined) this.#prefix = qualified.slice(0, qualified.indexOf(':') + 1);
    const name = qualified.startsWith(this.#prefix) ? qualified.slice(this.#prefix.length) : qualified;
    if (this.#skipped > 0 || this.#unwanted.has(name)) {
      this.#skipped += 1;
      return;
    }
    const element: XmlElement = { name, attributes, children: [], text: '', line: this.#line };
    this.#open.at(-1)?.children.push(element);
    this.#root ??= element;
    this.#open.push(element);
  }

  adds(part: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined && this.#skipped === 0) element.text += part;
  }

  closes(): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else this.#open.pop();
  }

  root(): XmlElement {
    if (this.#root !== undefined) return this.#root;
    throw new LockfileError('wrong-format', `${this.#path}: the XML has no element that is read here`);
  }
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The trimmed text of a child; `undefined` when there is none, or nothing in it. */
export function textOf(element: XmlElement | undefined, name: string): string | undefined {
  const text = childOf(element, name)?.text.trim();
  return text === '' ? undefined : text;
}

/** A trimmed attribute; `undefined` when there is none, or nothing in it. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  const text = Object.hasOwn(element.attributes, name) ? element.attributes[name]?.trim() : undefined;
  return text === '' ? undefined : text;
}

/** The parser's words without position and names: these could be anything. */
function reason(error: unknown): string {
  return messageOf(error)
    .replace(/^\d+:\d+: /, '')
    .replace(/: .*$/s, '')
    .slice(0, 120);
}
