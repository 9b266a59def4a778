import { SaxesParser } from 'saxes';
import { messageOf } from '../../model/errors.ts';
import { LockfileError } from '../errors.ts';

/** An element of an XML file. */
export interface XmlElement {
  /** The name without the prefix of the root element. Other prefixes, which belong to other vocabularies, are kept. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  /** Its own text including CDATA, untrimmed. */
  text: string;
  /** 1-based line of its start tag. */
  readonly line: number;
}

interface XmlOptions {
  /** The expected kind of file, for messages: `a pom`. */
  readonly expected: string;
  /** Name of the root element; any when absent. */
  readonly root?: string;
  /** Names of elements that the caller does not need: they are checked, but not kept. */
  readonly unwanted?: ReadonlySet<string>;
  /** Whether undeclared entities (`&copy;`) are kept as text, as Maven's parser does. */
  readonly keepsUnknownEntities?: boolean;
}

/** Far more than any format needs. */
const MAX_DEPTH = 250;

/**
 * Parses an XML file into a tree. It opens no other files and expands only the five predefined entities and character
 * references: a document type that declares entities is refused. Throws `LockfileError` (`syntax`, `wrong-format`,
 * `too-deep`).
 */
export function readXml(text: string, path: string, options: XmlOptions): XmlElement {
  if (!/^\s*</.test(text)) {
    throw new LockfileError('wrong-format', `${path}: not ${options.expected}: the file is not XML`);
  }
  const parser = new SaxesParser({ xmlns: false, position: true });
  // XML allows nothing before the declaration, but files contain blank lines there.
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
      `${path}:${linesAbove + parser.line}: the file declares entities, which are not expanded; replace them by their text`,
    );
  });
  // The parser is past the character after the name, which may be a line feed.
  parser.on('opentagstart', () => {
    builder.starts(linesAbove + (parser.column === 0 ? parser.line - 1 : parser.line));
  });
  parser.on('opentag', ({ name, attributes }) => builder.opens(name, attributes));
  parser.on('text', (part) => builder.adds(part));
  parser.on('cdata', (part) => builder.adds(part));
  parser.on('closetag', () => builder.closes());
  parser.write(body).close();
  return builder.root(options.root);
}

const UNKNOWN_ENTITY = 'undefined entity.';

class TreeBuilder {
  readonly #path: string;
  readonly #unwanted: ReadonlySet<string>;
  readonly #open: XmlElement[] = [];
  #root: XmlElement | undefined;
  #prefix = '';
  #line = 1;
  /** The number of open elements that are unwanted or inside an unwanted one. */
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

  root(wanted: string | undefined): XmlElement {
    const root = this.#root;
    if (root === undefined) {
      throw new LockfileError('wrong-format', `${this.#path}: the XML has no element that is needed here`);
    }
    if (wanted === undefined || root.name === wanted) return root;
    throw new LockfileError(
      'wrong-format',
      `${this.#path}:${root.line}: the root element is not <${wanted}>`,
    );
  }
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The trimmed text of a child; `undefined` when it is absent or empty. */
export function textOf(element: XmlElement | undefined, name: string): string | undefined {
  const text = childOf(element, name)?.text.trim();
  return text === '' ? undefined : text;
}

/** A trimmed attribute; `undefined` when it is absent or empty. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  const text = Object.hasOwn(element.attributes, name) ? element.attributes[name]?.trim() : undefined;
  return text === '' ? undefined : text;
}

/** The parser's message without position and names, which can contain anything. */
function reason(error: unknown): string {
  return messageOf(error)
    .replace(/^\d+:\d+: /, '')
    .replace(/: .*$/s, '')
    .slice(0, 120);
}
